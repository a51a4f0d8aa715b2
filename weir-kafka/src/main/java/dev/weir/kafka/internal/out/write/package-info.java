/**
 * Stages that write to the brokers. They pull records from the pipeline and send them with a producer. A stage
 * acknowledges a record's input when the brokers acknowledge the record.
 */
@NullMarked
package dev.weir.kafka.internal.out.write;

import org.jspecify.annotations.NullMarked;
