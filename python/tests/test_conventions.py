"""scikit-learn's own checks of an estimator's conventions."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from srfm_mcu import SrfmClassifier, SrfmRegressor


@parametrize_with_checks([SrfmRegressor("harfe"), SrfmClassifier("harfe"), SrfmRegressor("harfe", missing="mean")])
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)
