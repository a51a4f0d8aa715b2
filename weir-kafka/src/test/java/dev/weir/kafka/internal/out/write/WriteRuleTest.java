package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.deadletter.FailedRecord;
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
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.AuthenticationException;
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

    private final List<String> ended = new ArrayList<>();

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            ended.add("ack " + token);
        }

        @Override
        public void retain(long token, int more) {}

        @Override
        public String placeOf(long token) {
            return "in-0@" + token;
        }
    };

    private static WriteRule<String> rule(WriteFailures failures) {
        return new WriteRule<>(failures, new BareContext(), WriteRuleTest::asFailed, null);
    }

    private static FailedRecord asFailed(String element, Throwable refusal, String place) {
        var raw = new ConsumerRecord<byte[], byte[]>(element + " of " + place, 0, 0, new byte[0], new byte[0]);
        return new FailedRecord(raw, FailedRecord.Reason.WRITE, refusal, 0, false);
    }

    @Test
    void rule_coversRecords_andTopicsUnlessTheUserLeavesThemOut_andNoFailuresOfTheClient() {
        Exception tooLarge = new RecordTooLargeException("one");
        Exception broken = new AuthenticationException("planted");
        assertThat(rule(WriteFailures.skip()).takes(tooLarge)).isTrue();
        assertThat(rule(WriteFailures.skip()).takes(forbidden)).isTrue();
        assertThat(rule(WriteFailures.skip()).takes(broken)).isFalse();
        assertThat(rule(WriteFailures.skip()).isFail()).isFalse();

        assertThat(rule(WriteFailures.skip().ofRecordsOnly()).takes(tooLarge)).isTrue();
        assertThat(rule(WriteFailures.skip().ofRecordsOnly()).takes(forbidden)).isFalse();

        assertThat(rule(WriteFailures.fail()).takes(tooLarge)).isFalse();
        assertThat(rule(WriteFailures.fail()).takes(forbidden)).isFalse();
        assertThat(rule(WriteFailures.fail()).isFail()).isTrue();
    }

    /** The delivery acknowledges them. */
    @Test
    void elements_underARuleWithADeadLetterTopic_areDeliveredOnceTogether() throws Exception {
        List<String> delivered = new ArrayList<>();
        WriteRule<String> delivering =
                new WriteRule<>(WriteFailures.skip(), new BareContext(), WriteRuleTest::asFailed, failed -> {
                    delivered.add("begin");
                    for (int i = 0; i < failed.size(); i++) {
                        assertThat(failed.target(i)).isSameAs(target);
                        assertThat(failed.get(i).cause()).isSameAs(forbidden);
                        delivered.add(failed.get(i).raw().topic() + " = " + failed.token(i));
                    }
                });
        delivering.settle();
        delivering.add("a", forbidden, target, 7);
        delivering.add("b", forbidden, target, 8);
        assertThat(delivered).isEmpty();
        delivering.settle();
        delivering.settle();
        delivering.add("c", forbidden, target, 9);
        delivering.settle();
        assertThat(delivered)
                .containsExactly("begin", "a of in-0@7 = 7", "b of in-0@8 = 8", "begin", "c of in-0@9 = 9");
        assertThat(ended).isEmpty();
    }

    /** The failed delivery has ended the acknowledgements, so a second one must not. */
    @Test
    void elements_whoseDeliveryFails_areNotDeliveredAgain() throws Exception {
        List<Integer> sizes = new ArrayList<>();
        WriteRule<String> delivering =
                new WriteRule<>(WriteFailures.skip(), new BareContext(), WriteRuleTest::asFailed, failed -> {
                    sizes.add(failed.size());
                    throw new IllegalStateException("planted");
                });
        delivering.add("a", forbidden, target, 7);
        assertThatThrownBy(delivering::settle).hasMessage("planted");
        delivering.settle();
        assertThat(sizes).containsExactly(1);
    }

    /** Reading an exception is expensive, and a log with a line per record helps nobody. */
    @Test
    void skippedElements_areAcknowledgedAtOnce_andLoggedEveryTenSeconds() throws Exception {
        AtomicInteger read = new AtomicInteger();
        @SuppressWarnings("OverrideThrowableToString") // counts the log lines
        RuntimeException counted = new RuntimeException() {
            @Override
            public String toString() {
                read.incrementAndGet();
                return "planted";
            }
        };
        rule.add("a", counted, target, 1);
        assertThat(read).hasValueGreaterThan(0);
        int ofOneLine = read.get();
        rule.add("b", counted, target, 2);
        rule.add("c", counted, AckTarget.NONE, 3);
        assertThat(read).hasValue(ofOneLine);
        rule.settle();
        assertThat(ended).containsExactly("ack 1", "ack 2");
    }

    @Test
    void ruleForAnotherKind_hasTheSameExceptions_andHandsItsElementsOver() {
        List<String> handed = new ArrayList<>();
        WriteRule<Integer> other =
                rule.handedTo((Integer part, Exception refusal) -> handed.add(part + " " + refusal.getMessage()));
        assertThat(other.isFail()).isFalse();
        assertThat(other.takes(forbidden)).isTrue();
        other.add(5, new RecordTooLargeException("one"), target, 1);
        assertThat(handed).containsExactly("5 one");
        assertThat(ended).isEmpty();
    }
}
