/**
 * Fetches records with Kafka's client or lean consumers. Also contains the code with which the owner thread waits.
 * Depends on the {@code lookup} package.
 */
@NullMarked
package dev.weir.kafka.internal.in.fetch;

import org.jspecify.annotations.NullMarked;
