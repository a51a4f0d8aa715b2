package dev.weir.stream.internal.sink;

import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;

/** The loop of a sink with a result. One object serves many runs, so its state lives in {@link #run}. */
@FunctionalInterface
public interface ResultLoop<T, R> {

    /** Pulls {@code upstream} as far as needed, and acknowledges each element once it is part of the result. */
    R run(Stage<T> upstream, StageMeter meter, SupervisedCall supervised) throws InterruptedException;
}
