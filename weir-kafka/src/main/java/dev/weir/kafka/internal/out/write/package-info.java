/**
 * From the pipeline to the brokers: records come in by pull, go out through a producer, and the brokers' answers go
 * back as acknowledgements of the inputs.
 */
@NullMarked
package dev.weir.kafka.internal.out.write;

import org.jspecify.annotations.NullMarked;
