package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;

/** Thrown if the generator fails, which says nothing about the driver under test. Immutable. */
public final class GeneratorFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private GeneratorFailure(RunFailure cause) {
        super("the generator failed: " + cause.getMessage(), cause);
    }

    /** A step of the communication with the generator. */
    public interface Step<T> {
        T run() throws InterruptedException;
    }

    /** Runs a step and rethrows its {@link RunFailure} as a {@link GeneratorFailure}. */
    public static <T> T tellingApart(Step<T> step) throws InterruptedException {
        try {
            return step.run();
        } catch (RunFailure e) {
            throw new GeneratorFailure(e);
        }
    }
}
