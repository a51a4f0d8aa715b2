package dev.weir.stream.internal.run;

import dev.weir.stream.spi.Stage;

/** A stage that hands on the batches of the one above as they are. Confined to its segment. */
public interface PassThroughStage<T> extends Stage<T> {

    Stage<T> upstream();
}
