"""scikit-learn's own checks of an estimator's conventions."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from srfm_mcu import SrfmClassifier, SrfmNovelty, SrfmRegressor

#: Estimators; the lines with a given penalty draw nothing from the rows.
ESTIMATORS = [
    SrfmRegressor("harfe"),
    SrfmClassifier("harfe"),
    SrfmRegressor("harfe", missing="mean"),
    SrfmRegressor("linear", lambdas=[1e-3]),
    SrfmClassifier("linear", lambdas=[1e-3]),
    SrfmNovelty("harfe", features=20, false_alarms=0.2),
]


#: Checks with 10 to 15 rows.
FEW_ROWS = [
    "check_n_features_in_after_fitting",
    "check_estimators_nan_inf",
    "check_classifier_data_not_an_array",
    "check_fit2d_1feature",
]


def expected_to_fail(estimator):
    """Returns the checks that do not hold, with the reasons."""
    equivalence = "check_sample_weight_equivalence_on_dense_data"
    if isinstance(estimator, SrfmNovelty):
        return dict.fromkeys(FEW_ROWS, "a model of novelty takes at least 20 rows")
    if estimator.missing == "mean":
        return {equivalence: "the check has 30 inputs, and readings of at most 16 are replaced in single precision"}
    if isinstance(estimator, SrfmClassifier) and estimator.method == "harfe":
        return {equivalence: "folds divide copies of a row, and their probabilities calibrate those of the model"}
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_to_fail)
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)
