package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

class WriteRuleTest {

    private static final Duration STEP = Duration.ofSeconds(5);

    private final VirtualClock clock = new VirtualClock();
    private final WriteRule<String> rule = WriteRule.of(
            WriteFailures.skip(),
            new BareContext() {
                @Override
                public Clock clock() {
                    return clock;
                }
            },
            (record, refusal, place) -> {
                throw new AssertionError("skipped records need no dead-letter record");
            });
    private final Exception forbidden = new TopicAuthorizationException(Set.of("out"));

    @Test
    void refusal_isRememberedForTenSeconds_andOfThatTopic() {
        rule.note("out", forbidden);
        clock.advance(STEP.multipliedBy(2));
        assertThat(rule.refusalOf("out")).isSameAs(forbidden);
        assertThat(rule.refusalOf("other")).isNull();
        clock.advance(Duration.ofNanos(1));
        assertThat(rule.refusalOf("out")).isNull();
    }

    // Regression: each run failed at the same record.
    @Test
    void skippedElement_whoseExceptionCannotBeRead_isAcknowledged() {
        List<Long> acknowledged = new ArrayList<>();
        AckTarget target = new AckTarget() {
            @Override
            public void ack(long token) {
                acknowledged.add(token);
            }

            @Override
            public void retain(long token, int more) {}
        };
        @SuppressWarnings("OverrideThrowableToString") // toString() itself must fail
        RuntimeException unreadable = new RuntimeException() {
            @Override
            public String toString() {
                throw new IllegalStateException("planted");
            }
        };
        rule.add("element", unreadable, target, 7);
        assertThat(acknowledged).containsExactly(7L);
    }

    @Test
    void refusalOfARecord_isOfNoTopic() {
        rule.note("out", new RecordTooLargeException("one"));
        assertThat(rule.refusalOf("out")).isNull();
    }

    // Regression: a refused topic with steady traffic was never tried again.
    @Test
    void recordsRefusedFromMemory_doNotKeepTheTopicFromBeingAskedAgain() {
        rule.note("out", forbidden);
        for (int i = 0; i < 2; i++) {
            clock.advance(STEP);
            rule.note("out", Objects.requireNonNull(rule.refusalOf("out")));
        }
        // The record of this refusal was in flight, or was refused without asking the broker.
        clock.advance(Duration.ofNanos(1));
        rule.note("out", forbidden);
        assertThat(rule.refusalOf("out")).isNull();
    }

    @Test
    void refusalsOfRecordsUnderWay_doNotMakeTheTimeLonger() {
        rule.note("out", forbidden);
        clock.advance(STEP);
        rule.note("out", new TopicAuthorizationException(Set.of("out")));
        clock.advance(STEP.plusNanos(1));
        assertThat(rule.refusalOf("out")).isNull();
    }

    // Regression: after ten seconds without records, a second refusal was not remembered.
    @Test
    void refusalAfterTenSeconds_isRememberedForTenMore() {
        rule.note("out", forbidden);
        clock.advance(STEP.multipliedBy(2).plusNanos(1));
        Exception again = new TopicAuthorizationException(Set.of("out"));
        rule.note("out", again);
        clock.advance(STEP.multipliedBy(2));
        assertThat(rule.refusalOf("out")).isSameAs(again);
        clock.advance(Duration.ofNanos(1));
        assertThat(rule.refusalOf("out")).isNull();
    }

    @Test
    void topicThatIsMissingOrHasNoName_isRememberedToo() {
        Exception missing = new UnknownTopicOrPartitionException("missing");
        Exception misnamed = new InvalidTopicException(Set.of("a b"));
        rule.note("missing", missing);
        rule.note("a b", misnamed);
        assertThat(rule.refusalOf("missing")).isSameAs(missing);
        assertThat(rule.refusalOf("a b")).isSameAs(misnamed);
    }
}
