package dev.weir.stream.internal.run;

import dev.weir.stream.spi.Stage;

/** A stage that passes batches through unchanged. Confined to the stage's thread. */
public interface PassThroughStage<T> extends Stage<T> {

    Stage<T> upstream();
}
