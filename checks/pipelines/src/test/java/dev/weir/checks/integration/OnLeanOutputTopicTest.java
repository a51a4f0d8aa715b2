package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of {@link OutputTopicTest} with a lean producer, which never lets brokers create a topic. */
@Tag("long")
@ExtendWith(OnLeanProducing.class)
class OnLeanOutputTopicTest extends OutputTopicTest {

    @Override
    void topic_thatIsDeletedAndComesBackByItself_failsTheRunByName() {}
}
