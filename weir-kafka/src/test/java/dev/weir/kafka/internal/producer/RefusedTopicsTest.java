package dev.weir.kafka.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

/** For how long a topic is not asked again. */
class RefusedTopicsTest {

    private static final Duration STEP = Duration.ofSeconds(5);

    private final VirtualClock clock = new VirtualClock();
    private final RefusedTopics topics = new RefusedTopics(clock);
    private final Exception forbidden = new TopicAuthorizationException(Set.of("out"));

    @Test
    void refusal_isRememberedForTenSeconds_andOfThatTopic() {
        topics.refused("out", forbidden);
        clock.advance(STEP.multipliedBy(2));
        assertThat(topics.refusal("out")).isSameAs(forbidden);
        assertThat(topics.refusal("other")).isNull();
        clock.advance(Duration.ofNanos(1));
        assertThat(topics.refusal("out")).isNull();
    }

    @Test
    void refusalOfARecord_isOfNoTopic() {
        topics.refused("out", new RecordTooLargeException("one"));
        assertThat(topics.refusal("out")).isNull();
    }

    // Each record that was refused from memory began the ten seconds anew, so a topic with traffic was never asked
    // again.
    @Test
    void recordsRefusedFromMemory_doNotKeepTheTopicFromBeingAskedAgain() {
        topics.refused("out", forbidden);
        for (int i = 0; i < 2; i++) {
            clock.advance(STEP);
            topics.refused("out", Objects.requireNonNull(topics.refusal("out")));
        }
        // One that was known as refused a moment ago, and one of a record that was under way.
        clock.advance(Duration.ofNanos(1));
        topics.refused("out", forbidden);
        assertThat(topics.refusal("out")).isNull();
    }

    @Test
    void refusalsOfRecordsUnderWay_doNotMakeTheTimeLonger() {
        topics.refused("out", forbidden);
        clock.advance(STEP);
        topics.refused("out", new TopicAuthorizationException(Set.of("out")));
        clock.advance(STEP.plusNanos(1));
        assertThat(topics.refusal("out")).isNull();
    }

    // A topic that was not asked for between the two was taken for one of the first ten seconds, and asked at once.
    @Test
    void refusalAfterTenSeconds_isRememberedForTenMore() {
        topics.refused("out", forbidden);
        clock.advance(STEP.multipliedBy(2).plusNanos(1));
        Exception again = new TopicAuthorizationException(Set.of("out"));
        topics.refused("out", again);
        clock.advance(STEP.multipliedBy(2));
        assertThat(topics.refusal("out")).isSameAs(again);
        clock.advance(Duration.ofNanos(1));
        assertThat(topics.refusal("out")).isNull();
    }

    @Test
    void topicThatIsMissingOrHasNoName_isRememberedToo() {
        Exception missing = new UnknownTopicOrPartitionException("missing");
        Exception misnamed = new InvalidTopicException(Set.of("a b"));
        topics.refused("missing", missing);
        topics.refused("a b", misnamed);
        assertThat(topics.refusal("missing")).isSameAs(missing);
        assertThat(topics.refusal("a b")).isSameAs(misnamed);
    }
}
