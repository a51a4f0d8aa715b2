/**
 * Stages that write to the brokers. They pull records from the pipeline and send them with a producer. When the brokers
 * acknowledge a record, the stage acknowledges the record's input.
 */
@NullMarked
package dev.weir.kafka.internal.out.write;

import org.jspecify.annotations.NullMarked;
