/**
 * Stages that write to the brokers. Records are pulled from the pipeline and sent by a producer. The brokers'
 * acknowledgements then acknowledge the inputs.
 */
@NullMarked
package dev.weir.kafka.internal.out.write;

import org.jspecify.annotations.NullMarked;
