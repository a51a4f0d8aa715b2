package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;

/** The generator gave no load, which says nothing of the driver. Immutable. */
public final class GeneratorFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private GeneratorFailure(RunFailure cause) {
        super("the generator failed: " + cause.getMessage(), cause);
    }

    /** A step in the talk with the generator. */
    public interface Step<T> {
        T run() throws InterruptedException;
    }

    /** Distinguishes its failures from failures of members. */
    public static <T> T tellingApart(Step<T> step) throws InterruptedException {
        try {
            return step.run();
        } catch (RunFailure e) {
            throw new GeneratorFailure(e);
        }
    }
}
