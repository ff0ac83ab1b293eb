//! Running a model in an emulated microcontroller.
