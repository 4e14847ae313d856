"""A results file opens in h5py, pandas and xarray with no code of ours. Usage: open_test.py PROGRAM, which writes it."""

import os
import subprocess
import sys
import tempfile
import unittest

try:
    import h5py
    import numpy
    import pandas
    import xarray
    import h5netcdf  # noqa: F401: xarray's engine
except ImportError as error:
    print(f"not run: {error}; install python3-h5py, python3-pandas, python3-xarray and python3-h5netcdf")
    sys.exit(1 if os.environ.get("HEADROOM_NO_SKIP") else 77)

PROGRAM = sys.argv.pop(1)
RUNS = 12
STAGES = [70000 if run == 7 else 10 + run for run in range(RUNS)]


class OpenTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "sample.h5")
        subprocess.run([PROGRAM, cls.path], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_h5py_finds_tables_of_columns_of_one_length(self):
        with h5py.File(self.path, "r") as file:
            self.assertEqual(file.attrs["title"], "sample")
            self.assertEqual(file.attrs["schema_version"], 2)
            self.assertEqual(file.attrs["complete"], 1)
            for table in ("runs", "stages", "warnings"):
                self.assertEqual(len({len(column) for column in file[table].values()}), 1, table)
                for name, column in file[table].items():
                    self.assertIn("units", column.attrs, f"{table}/{name}")
                    self.assertIn("long_name", column.attrs, f"{table}/{name}")
            stages = file["stages"]
            self.assertEqual(stages["name"][1], b"cc[1]")
            self.assertEqual(stages["name"].asstr()[0], "ä")
            self.assertEqual(stages["kind"].attrs["flag_meanings"], "run skip plan")
            self.assertEqual(list(stages["kind"].attrs["flag_values"]), [0, 1, 2])
            self.assertEqual(stages["user"].attrs["names"], "/names/user")
            self.assertEqual(list(file["names/user"].asstr()[:]), ["ada", "ben", "olivia"])
            self.assertEqual(file["config/workload"].asstr()[()], "name: sample\n# größer\n")
            self.assertEqual(file["config/seed"][()], 17)

    def test_the_layout_is_what_the_format_promises(self):
        with h5py.File(self.path, "r") as file:
            for name in ("started_at", "memory"):
                column = file["stages"][name]
                self.assertTrue(column.shuffle)
                self.assertEqual((column.compression, column.compression_opts), ("gzip", 1))
                size = column.chunks[0] * column.dtype.itemsize
                self.assertTrue(64 * 1024 <= size <= 256 * 1024, size)

    def test_values_survive_filters_and_chunks(self):
        with h5py.File(self.path, "r") as file:
            expected = numpy.concatenate([run * 1000 + numpy.arange(n) + 0.25 for run, n in enumerate(STAGES)])
            numpy.testing.assert_array_equal(file["stages/started_at"][:], expected)
            numpy.testing.assert_array_equal(file["stages/run"][:], numpy.repeat(numpy.arange(RUNS), STAGES))
            numpy.testing.assert_array_equal(file["runs/stage_offset"][:], numpy.cumsum([0] + STAGES[:-1]))
            self.assertEqual(file["runs/seed"][0], 2**64 - 1)

    def test_pandas_reads_a_table_column_by_column(self):
        with h5py.File(self.path, "r") as file:
            stages = pandas.DataFrame({name: column[:] for name, column in file["stages"].items()})
        self.assertEqual(len(stages), sum(STAGES))
        self.assertEqual(list(stages.groupby("run").size()), STAGES)

    def test_xarray_opens_every_group(self):
        with h5py.File(self.path, "r") as file:
            groups = list(file)
        for group in groups:
            with xarray.open_dataset(self.path, group=group, engine="h5netcdf") as dataset:
                dataset.load()

    def test_xarray_sees_what_is_meant(self):
        with xarray.open_dataset(self.path, group="stages", engine="h5netcdf") as stages:
            self.assertEqual(stages["started_at"].dims, ("stage_row",))
            self.assertEqual(stages["started_at"].dtype, numpy.float64)
            self.assertEqual(stages["name"].values[0], "ä")
            self.assertTrue(numpy.isnan(stages["node"].values[0]))
            self.assertEqual(stages["node"].values[1], 0)
        with xarray.open_dataset(self.path, group="warnings", engine="h5netcdf") as warnings:
            self.assertEqual(warnings["code"].values[0], "W01")
        with xarray.open_dataset(self.path, group="runs", engine="h5netcdf") as runs:
            self.assertEqual(runs["makespan"].dims, ("run",))
            self.assertEqual(float(runs["makespan"].sel(run=4)), 0.5)
            self.assertEqual(str(runs["policy"].sel(run=3).values), "race")
        with xarray.open_dataset(self.path, group="config", engine="h5netcdf") as config:
            self.assertEqual(str(config["workload"].values), "name: sample\n# größer\n")
            self.assertEqual(config["input_path"].values[0], "sample.yaml")

    def test_the_sweep_is_an_array_with_coordinates(self):
        with xarray.open_dataset(self.path, group="sweep", engine="h5netcdf") as sweep:
            run = sweep["run"]
            self.assertEqual(run.dims, ("params.slots", "work.base.every", "policy", "replication"))
            self.assertEqual(run.shape, (2, 3, 2, 1))
            self.assertEqual(list(run.values.ravel()), list(range(12)))
            found = run.sel({"params.slots": 3, "work.base.every": "2h", "policy": "race", "replication": 0})
            self.assertEqual(int(found), 9)


if __name__ == "__main__":
    unittest.main(verbosity=2)
