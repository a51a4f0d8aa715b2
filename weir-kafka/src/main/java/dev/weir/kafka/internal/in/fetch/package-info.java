/**
 * Fetches records with Kafka's client or lean consumers. Also contains the waits of the owner thread. Depends on the
 * {@code lookup} package.
 */
@NullMarked
package dev.weir.kafka.internal.in.fetch;

import org.jspecify.annotations.NullMarked;
