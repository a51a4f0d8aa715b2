package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The same with a lean producer. */
@Tag("long")
@ExtendWith(OnLeanProducing.class)
class OnLeanProducingTest extends ProducingTest {}
