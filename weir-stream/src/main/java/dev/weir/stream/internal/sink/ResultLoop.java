package dev.weir.stream.internal.sink;

import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;

/** The loop of a sink that has a result. It is used for many runs, so all state is local to {@link #run}. */
@FunctionalInterface
public interface ResultLoop<T, R> {

    /** Pulls {@code upstream} as far as necessary. Acknowledges each element once the result includes it. */
    R run(Stage<T> upstream, StageMeter meter, SupervisedCall supervised) throws InterruptedException;
}
