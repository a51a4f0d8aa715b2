package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of {@link ProducingTest} with a lean producer. */
@Tag("long")
@ExtendWith(OnLeanProducing.class)
class OnLeanProducingTest extends ProducingTest {}
