/**
 * Treatment of records that fail: handlers are guarded, failed records come in as values and go out to retry and
 * dead-letter topics, and their acknowledgements follow the brokers' answers. Each class says which thread it is for.
 */
@NullMarked
package dev.weir.kafka.internal.handler;

import org.jspecify.annotations.NullMarked;
