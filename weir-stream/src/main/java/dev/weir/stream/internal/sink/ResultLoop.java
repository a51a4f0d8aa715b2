package dev.weir.stream.internal.sink;

import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;

/** A sink's loop that makes a result. Made once, serves many runs: what it remembers lives in {@link #run}. */
@FunctionalInterface
public interface ResultLoop<T, R> {

    /** Pulls {@code upstream} as far as it needs, acknowledges each element once it went into the result. */
    R run(Stage<T> upstream, StageMeter meter, SupervisedCall supervised) throws InterruptedException;
}
