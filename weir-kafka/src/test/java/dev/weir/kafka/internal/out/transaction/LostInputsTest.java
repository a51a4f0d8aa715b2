package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Clock;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which elements a sink refuses or drops because their inputs are lost. */
class LostInputsTest {

    private final TransactionsOfRun<String, String> run = new TransactionsOfRun<>(Clock.SYSTEM, false);
    private final TransactionCommitter<String, String> committer = new TransactionCommitter<>(
            run,
            new BareContext(),
            new TransactionCounts(),
            null,
            number -> new MockProducer<>(true, null, new StringSerializer(), new StringSerializer()));
    private final LostInputs<String, String> inputs = new LostInputs<>(run, committer);
    private final OffsetTracker own = source(0);
    private final OffsetTracker foreign = source(1);

    private static OffsetTracker source(int partition) {
        OffsetTracker source = new OffsetTracker(10, () -> {});
        source.name(new TopicPartition("in", partition));
        source.append(7, 1);
        return source;
    }

    @AfterEach
    void close() {
        committer.close();
    }

    private boolean isDropped(AckTarget target) {
        return isDropped(target, 0);
    }

    private boolean isDropped(AckTarget target, long token) {
        run.lock.lock();
        try {
            return inputs.isDropped(target, token);
        } finally {
            run.lock.unlock();
        }
    }

    @Test
    void elementOfTheRun_isTaken_andOneOfAnotherSourceIsRefused() {
        run.emits(own);
        assertThat(isDropped(own)).isFalse();
        assertThatExceptionOfType(KafkaPipelineException.class)
                .isThrownBy(() -> isDropped(foreign))
                .withMessageContaining("an element of another source, in-1@7:");
        assertThat(isDropped(own)).as("after that").isFalse();
        assertThat(isDropped(AckTarget.NONE)).as("of no source").isFalse();
    }

    @Test
    void jointElement_withAnInputOfAnotherSource_isRefused() {
        run.emits(own);
        JointAcknowledgement both = new JointAcknowledgement();
        both.add(own, 0);
        both.add(foreign, 0);
        assertThatExceptionOfType(KafkaPipelineException.class).isThrownBy(() -> isDropped(both));
    }

    /** The other input must be read again, because its element is dropped. */
    @Test
    void jointElement_thatHasLostAnInput_isDropped_andTheOthersAreReadAgain() {
        run.emits(own);
        run.emits(foreign);
        AtomicInteger abandoned = new AtomicInteger();
        JointAcknowledgement both = new JointAcknowledgement() {
            @Override
            public void abandon(long token) {
                abandoned.incrementAndGet();
            }
        };
        both.add(own, 0);
        both.add(foreign, 0);
        foreign.revoke();
        AtomicInteger asked = new AtomicInteger();
        run.onTransition = (from, by) -> asked.addAndGet(by == TransactionState.Transition.ASK_ABORT ? 1 : 0);
        run.lock.lock();
        try {
            assertThat(inputs.isDropped(both, 0)).isTrue();
            assertThat(run.aborted.isLost(own)).isTrue();
            assertThat(run.aborted.isLost(foreign)).isFalse();
        } finally {
            run.lock.unlock();
        }
        assertThat(asked).hasValue(1);
        assertThat(abandoned).as("its claim has ended").hasValue(1);
    }

    @Test
    void elementOfARevokedSource_isDropped_unlessThatIsLeaving() {
        run.emits(own);
        own.revoke();
        run.leaving = Set.of(own);
        assertThat(isDropped(own)).isFalse();
        assertThat(own.watchUnsettled()).isTrue();
        run.leaving = Set.of();
        assertThat(isDropped(own)).isTrue();
        assertThat(own.watchUnsettled()).as("a stage works on it").isFalse();
    }

    /** Another member reads all inputs again, so the transaction can be committed. */
    @Test
    void jointElement_whoseInputsAreAllLost_isDropped_withoutAnAbort() {
        run.emits(own);
        run.emits(foreign);
        JointAcknowledgement both = new JointAcknowledgement();
        both.add(own, 0);
        both.add(foreign, 0);
        own.revoke();
        foreign.revoke();
        assertThat(isDropped(both)).isTrue();
        assertThat(run.state()).isEqualTo(TransactionState.IDLE);
        assertThat(own.watchUnsettled()).as("a stage works on it").isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void recordsOfAJointElement_lookAtItsInputsOnce_andNoticeALaterLoss(boolean ofTheFirst) {
        run.emits(own);
        run.emits(foreign);
        AtomicInteger visits = new AtomicInteger();
        JointAcknowledgement both = counting(visits);
        JointAcknowledgement others = counting(visits);
        for (int i = 0; i < 3; i++) {
            assertThat(isDropped(both)).isFalse();
        }
        assertThat(visits).hasValue(1);
        assertThat(isDropped(both, 1)).isFalse();
        assertThat(visits).as("of another element").hasValue(2);
        assertThat(isDropped(others, 1)).isFalse();
        assertThat(visits).hasValue(3);
        (ofTheFirst ? own : foreign).revoke();
        assertThat(isDropped(others, 1)).isTrue();
        assertThat(run.aborted.isLost(ofTheFirst ? foreign : own)).isTrue();
    }

    private JointAcknowledgement counting(AtomicInteger visits) {
        JointAcknowledgement both = new JointAcknowledgement() {
            @Override
            public void roots(long token, RootVisitor visitor) {
                visits.incrementAndGet();
                super.roots(token, visitor);
            }
        };
        both.add(own, 0);
        both.add(foreign, 0);
        return both;
    }
}
