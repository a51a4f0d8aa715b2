package dev.weir.kafka.internal.transaction;

import dev.weir.stream.spi.AckTarget;

/** An element of a source. Targets are compared as objects. */
record Root(AckTarget source, long token) {}
