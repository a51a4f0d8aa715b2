/**
 * Real Kafka brokers for a test or a development machine, and helpers to fill and read their topics.
 * A cluster owns its brokers, folder and admin client; every type here may be used from any thread.
 */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;
