package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class TopicSetTest {

    @Test
    void partitionsOfSeveralTopics_haveNumbersOneAfterTheOther() {
        TopicSet topics = TopicSet.of(TopicSet.text(List.of("a", "b", "c")), 12);
        assertThat(topics.names()).containsExactly("a", "b", "c");
        for (int number = 0; number < 12; number++) {
            assertThat(topics.number(topics.topic(number), topics.partition(number)))
                    .isEqualTo(number);
        }
        assertThat(topics.number("b", 3)).isEqualTo(7);
    }

    @Test
    void topicThatNobodyAskedFor_isNamed() {
        TopicSet topics = TopicSet.of("a,b", 4);
        assertThatThrownBy(() -> topics.number("c", 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("not one of the requested topics: c");
    }

    /** With a single topic, a partition has the same number in the set, and the topic's name is not checked. */
    @Test
    void oneTopic_isAskedForNothing() {
        assertThat(TopicSet.of("a", 4).number("another", 3)).isEqualTo(3);
    }
}
