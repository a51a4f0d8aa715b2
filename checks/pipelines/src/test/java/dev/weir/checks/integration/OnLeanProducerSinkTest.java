package dev.weir.checks.integration;

import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of {@link ProducerSinkTest} with a lean producer. */
@ExtendWith(OnLeanProducing.class)
class OnLeanProducerSinkTest extends ProducerSinkTest {}
