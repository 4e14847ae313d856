"""A real Slurm of one node, for tests: munged, slurmctld and slurmd on loopback, in a folder of their own.

Everything that a daemon says is in its log in that folder. They are stopped by their pid files.
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

DAEMONS = ("munged", "slurmctld", "slurmd")


def missing():
    """What is not installed here, in words; "" if nothing is."""
    found = os.environ["PATH"] + ":/usr/sbin:/sbin"
    lacking = [name for name in (*DAEMONS, "sbatch", "scontrol", "squeue") if not shutil.which(name, path=found)]
    if lacking:
        return f"Slurm is not installed (no {', '.join(lacking)}); install slurm-wlm and munge"
    return "" if os.geteuid() == 0 else "the daemons of Slurm are run as root here"


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    def __init__(self, folder, cpus=2):
        self.dir = pathlib.Path(folder)
        self.cpus = cpus
        self.env = {**os.environ, "SLURM_CONF": str(self.dir / "slurm.conf"), "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        for name in [name for name in self.env if name.startswith(("SLURM_", "SBATCH_")) and name != "SLURM_CONF"]:
            del self.env[name]

    def start(self):
        for name in ("state", "spool", "munge"):
            (self.dir / name).mkdir()
        (self.dir / "munge/key").write_bytes(os.urandom(128))
        (self.dir / "munge/key").chmod(0o600)
        host = socket.gethostname().split(".")[0]
        control, node = free_ports(2)
        (self.dir / "slurm.conf").write_text(f"""
ClusterName=headroom
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmdPort={node}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={self.dir}/munge/socket,cred_expire=5
StateSaveLocation={self.dir}/state
SlurmdSpoolDir={self.dir}/spool
SlurmctldPidFile={self.dir}/slurmctld.pid
SlurmdPidFile={self.dir}/slurmd.pid
SlurmctldLogFile={self.dir}/slurmctld.log
SlurmdLogFile={self.dir}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=5
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={self.cpus} RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""")
        munge = self.dir / "munge"
        self.run("munged", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket", f"--pid-file={self.dir}/munged.pid",
                 f"--log-file={self.dir}/munged.log", f"--seed-file={munge}/seed")
        self.run("slurmctld", "-c")
        self.run("slurmd", "-c")
        self.wait_for(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T"), 60, "the node to be idle")

    def run(self, *command, status=0, cwd=None):
        done = subprocess.run(list(map(str, command)), env=self.env, cwd=cwd or self.dir, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != status:
            raise RuntimeError(f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}\n{self.logs()}")
        return done.stdout

    def wait_for(self, true, seconds, what):
        deadline = time.monotonic() + seconds
        while not true():
            if time.monotonic() > deadline:
                raise RuntimeError(f"waited {seconds} s for {what}\n{self.run('squeue')}\n{self.logs()}")
            time.sleep(0.05)

    def states(self, job):
        """The states of an array's tasks, or of a job, by task number."""
        rows = self.run("squeue", "-h", "-r", "-t", "all", "-j", job, "-o", "%K %T").split("\n")
        return dict(row.split() for row in rows if row)

    def logs(self):
        return "\n".join(f"--- {path.name}\n{path.read_text(errors='replace')[-3000:]}" for path in sorted(self.dir.glob("*.log")))

    def stop(self):
        for name in reversed(DAEMONS):
            try:
                pid = int((self.dir / f"{name}.pid").read_text())
                os.kill(pid, signal.SIGTERM)
            except (OSError, ValueError):
                continue
            for _ in range(200):
                if not pathlib.Path(f"/proc/{pid}").exists():
                    break
                time.sleep(0.05)
            else:
                os.kill(pid, signal.SIGKILL)
