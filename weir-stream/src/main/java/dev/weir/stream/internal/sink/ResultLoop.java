package dev.weir.stream.internal.sink;

import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;

/** The loop of a sink that has a result. One object is used for many runs, so all state is local to {@link #run}. */
@FunctionalInterface
public interface ResultLoop<T, R> {

    /** Pulls {@code upstream} as far as necessary, and acknowledges each element once it is included in the result. */
    R run(Stage<T> upstream, StageMeter meter, SupervisedCall supervised) throws InterruptedException;
}
