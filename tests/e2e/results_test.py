"""The results file opens in h5py, pandas and xarray with no code of ours, and says where it comes from."""

import unittest

import h5py
import numpy
from headroom_test import EXAMPLES, EndToEnd, strings

TABLES = ["runs", "workflows", "stages", "dependencies", "holds", "capacity", "warnings", "classes", "tenants"]


class ResultsFile(EndToEnd):
    def setUp(self):
        super().setUp()
        self.sim("-w", EXAMPLES / "hold_vs_race.yaml", "-o", "r.h5", "--format", "quiet")
        self.path = self.dir / "r.h5"

    def test_every_table_is_columns_of_one_length_with_units_and_a_name(self):
        with h5py.File(self.path, "r") as file:
            for name in TABLES:
                self.assertIn(name, file)
                lengths = {len(dataset) for dataset in file[name].values()}
                self.assertEqual(len(lengths), 1, f"/{name} has columns of lengths {lengths}")
                for dataset in file[name].values():
                    where = dataset.name
                    self.assertIsNone(dataset.dtype.names, f"{where} is a compound")
                    if dataset.attrs.get("CLASS", b"") != b"DIMENSION_SCALE":
                        self.assertIn("long_name", dataset.attrs, where)
                    if dataset.dtype.kind == "f":
                        self.assertIn("units", dataset.attrs, where)

    def test_rows_of_a_run_lie_where_its_offset_says(self):
        with h5py.File(self.path, "r") as file:
            for kind, table in (("stage", "stages"), ("workflow", "workflows")):
                offsets, run = file[f"runs/{kind}_offset"][:], file[f"{table}/run"][:]
                self.assertEqual(list(offsets), [int(numpy.searchsorted(run, r)) for r in file["runs/run"][:]])
                self.assertTrue((numpy.diff(run) >= 0).all())

    def test_it_says_what_it_is_and_nothing_of_when_where_and_how(self):
        with h5py.File(self.path, "r") as file:
            for name in ("Conventions", "title", "history", "headroom_version", "schema_version", "complete"):
                self.assertIn(name, file.attrs)
            self.assertTrue(file.attrs["complete"])
            self.assertIn("params", file["config/workload"][()].decode())
        raw = self.path.read_bytes()
        self.assertNotIn(str(self.dir).encode(), raw)

    def test_the_sweep_is_an_array_over_its_axes(self):
        with h5py.File(self.path, "r") as file:
            run = file["sweep/run"]
            self.assertEqual(run.shape, (4, 2, 1))
            self.assertEqual(list(run[:].ravel()), list(range(8)))

    def test_xarray_opens_groups_by_name(self):
        import xarray

        with xarray.open_dataset(self.path, group="stages", engine="h5netcdf") as stages:
            self.assertEqual(set(stages["started_at"].dtype.kind), {"f"})
            self.assertEqual(stages["started_at"].dims, stages["name"].dims)
            self.assertEqual(stages.sizes[stages["started_at"].dims[0]], 40)
        with xarray.open_dataset(self.path, group="runs", engine="h5netcdf") as runs:
            self.assertEqual(float(runs["makespan"].max()), 6.304)
            self.assertEqual(runs["makespan"].attrs["units"], "s")
        with xarray.open_dataset(self.path, group="sweep", engine="h5netcdf") as sweep:
            self.assertEqual(int(sweep["run"].sel({"params.slots": 3}).isel(policy=1, replication=0)), 3)

    def test_pandas_reads_a_table_by_its_columns(self):
        import pandas

        with h5py.File(self.path, "r") as file:
            table = file["stages"]
            frame = pandas.DataFrame({key: table[key][:] for key in table if table[key].dtype.kind != "O"})
            frame["name"] = strings(table["name"])
        last = frame[frame["run"] == 3].groupby("name")["finished_at"].max()
        self.assertEqual(last["sleep 4.0"], 6.001)

    def test_what_a_run_was_told_to_leave_out_is_left_out(self):
        workload = self.write("w.yaml", "work: [{workflow: a, stages: [{name: s, runtime: 1s}]}]\nrecord: {stages: false}\n")
        self.sim("-w", workload, "-o", "s.h5", "--format", "quiet")
        with h5py.File(self.dir / "s.h5", "r") as file:
            for name in ("stages", "workflows", "dependencies", "holds"):
                self.assertNotIn(name, file)
            self.assertEqual(float(file["runs/makespan"][0]), 1.0)


class Export(EndToEnd):
    BATSIM = ("job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
              "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
              "consumed_energy,metadata")

    def test_stages_become_csv_with_batsims_columns(self):
        self.sim("-w", EXAMPLES / "duration_and_hold.yaml", "-o", "r.h5", "--format", "quiet")
        self.sim("export", "r.h5", "--to", "jobs.csv")
        lines = (self.dir / "jobs.csv").read_text().splitlines()
        self.assertTrue(lines[0].startswith(self.BATSIM), lines[0])
        self.assertEqual(len(lines), 1 + 5)

        import pandas

        jobs = pandas.read_csv(self.dir / "jobs.csv")
        self.assertEqual(sorted(jobs["execution_time"]), [0.104, 2.0, 2.1, 4.0, 4.1])
        self.assertTrue((jobs["final_state"] == "COMPLETED_SUCCESSFULLY").all())
        self.assertEqual(jobs["finish_time"].max(), 4.204)


if __name__ == "__main__":
    unittest.main()
