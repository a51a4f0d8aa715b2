package dev.weir.checks.integration.plants;

/**
 * Settings of a plant that no control of a running pipeline can change.
 *
 * @param workers the number of threads or concurrent calls of the planted stage; 0 for the planted number
 * @param widened the factor for a window, a budget, a rate or a batch
 * @param removed whether to leave out the limiter, to prove that it was the limiter
 */
record Tuning(int workers, double widened, boolean removed) {

    static final Tuning NONE = new Tuning(0, 1, false);
    static final Tuning REMOVED = new Tuning(0, 1, true);

    static Tuning workers(int workers) {
        return new Tuning(workers, 1, false);
    }

    static Tuning widened(double factor) {
        return new Tuning(0, factor, false);
    }

    int workersOr(int planted) {
        return workers == 0 ? planted : workers;
    }
}
