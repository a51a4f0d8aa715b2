package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;

/** Thrown if the generator fails, which says nothing about the driver. Immutable. */
public final class GeneratorFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private GeneratorFailure(RunFailure cause) {
        super("the generator failed: " + cause.getMessage(), cause);
    }

    /** A step of the exchange with the generator. */
    public interface Step<T> {
        T run() throws InterruptedException;
    }

    /** Runs a step and marks its failures as the generator's. */
    public static <T> T tellingApart(Step<T> step) throws InterruptedException {
        try {
            return step.run();
        } catch (RunFailure e) {
            throw new GeneratorFailure(e);
        }
    }
}
