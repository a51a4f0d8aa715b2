package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings.UnreadableBatches;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.ShareGroupConfig;
import dev.weir.lean.share.LockedRecord;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

/** Tests the counts of acquired records, and their way to the pipeline. The group delivers a record five times. */
class AcquiredRecordDeliveryTest {

    private static final TopicPartition PARTITION = ShareClientStub.PARTITION.topicPartition();
    private final KafkaException fault = new KafkaException("planted");

    private final ReadyRecords ready = new ReadyRecords(Clock.SYSTEM);
    private final ShareCounters counters = new ShareCounters();
    private final List<AcquiredRecord> ended = new ArrayList<>();
    private ShareGroupConfig config = ShareClientStub.group(5, true);
    private int lost;
    private final AcquiredRecordDelivery delivery = delivery(UnreadableBatches.FAIL);

    private AcquiredRecordDelivery delivery(UnreadableBatches unreadable) {
        SharePath.Setup setup = new SharePath.Setup(
                "test",
                Map.of("group.id", "g"),
                List.of("orders", "payments"),
                () -> config,
                ready,
                counters,
                null,
                () -> lost++,
                failure -> {});
        return new AcquiredRecordDelivery(setup, unreadable, ended::add);
    }

    private AcquiredRecord receive(long offset, int deliveryCount) {
        return (AcquiredRecord) delivery.receive(ShareClientStub.record(offset, deliveryCount));
    }

    @Test
    void receivedRecords_areOfferedTogether_once() {
        AcquiredRecord first = receive(0, 1);
        AcquiredRecord second = receive(1, 2);
        AcquiredRecord third = receive(2, 5);
        assertThat(ready.size()).isZero();
        delivery.acquiredAll();
        assertThat(ready.size()).isEqualTo(3);
        assertThat(List.of(first, second, third)).allMatch(AcquiredRecord::isOffered);
        assertThat(counters.acquired.sum()).isEqualTo(3);
        assertThat(counters.redelivered.sum()).isEqualTo(2);
        delivery.acquiredAll();
        assertThat(ready.size()).isEqualTo(3);
        assertThat(counters.acquired.sum()).isEqualTo(3);
        assertThat(first.take(0)).isTrue();
        first.endAcknowledgement();
        assertThat(ended).containsExactly(first);
    }

    /** The group's configuration may change while a record is processed. */
    @Test
    void limitOfDeliveries_isThatOfTheGroupNow() {
        AcquiredRecord record = receive(0, 3);
        assertThat(record.isLastDelivery()).isFalse();
        assertThat(delivery.renewsLocks()).isTrue();
        config = ShareClientStub.group(3, false);
        assertThat(record.isLastDelivery()).isTrue();
        assertThat(delivery.renewsLocks()).isFalse();
    }

    @Test
    void demand_isThatOfThePipeline() throws Exception {
        assertThat(delivery.hasDemand()).isTrue();
        assertThat(delivery.isEnded()).isFalse();
        ready.end();
        assertThat(delivery.hasDemand()).isFalse();
        assertThat(delivery.isEnded()).isTrue();
        assertThat(delivery.isOver()).isFalse();
        assertThat(ready.take(System.nanoTime(), new StageMeter())).isNull();
        assertThat(delivery.isOver()).isTrue();
    }

    @Test
    void slowestFetch_isForgottenSlowly() {
        assertThat(delivery.slowRoundTripSeconds()).isZero();
        delivery.fetched(1, TimeUnit.SECONDS.toNanos(2), false);
        assertThat(delivery.slowRoundTripSeconds()).isEqualTo(2);
        delivery.fetched(5, TimeUnit.SECONDS.toNanos(1), true);
        assertThat(delivery.slowRoundTripSeconds()).isEqualTo(2 * 0.99);
        delivery.fetched(5, TimeUnit.MILLISECONDS.toNanos(1_970), true);
        assertThat(delivery.slowRoundTripSeconds()).isEqualTo(1.97);
        assertThat(counters.polls.sum()).isEqualTo(3);
        assertThat(counters.pollNanos.sum()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(4_970));
        assertThat(counters.emptyPollNanos.sum()).isZero();
    }

    @Test
    void fetchWithoutRecords_countsOnlyIfThePathHadNothingElse() {
        delivery.fetched(0, 30, false);
        assertThat(counters.emptyPollNanos.sum()).isZero();
        delivery.fetched(0, 40, true);
        assertThat(counters.emptyPollNanos.sum()).isEqualTo(40);
        assertThat(counters.polls.sum()).isZero();
        assertThat(delivery.slowRoundTripSeconds()).isZero();
    }

    @Test
    void eventsOfThePath_areCounted() {
        delivery.emptied();
        delivery.finished(70);
        delivery.finished(30);
        delivery.passedBy(4);
        delivery.skipped("orders", 0, 3, 6);
        delivery.refused("orders-0@1", AcknowledgeType.ACCEPT, 2, "planted");
        delivery.notRenewed("orders-0@1", 3, "planted");
        assertThat(counters.emptiedAnswers.sum()).isEqualTo(1);
        assertThat(counters.rounds.sum()).isEqualTo(2);
        assertThat(counters.roundNanos.sum()).isEqualTo(100);
        assertThat(counters.neverBegun.sum()).isEqualTo(4);
        assertThat(counters.skipped.skipped()).hasSize(1);
        assertThat(counters.failedAcknowledgements.sum()).isEqualTo(5);
        assertThat(ready.isWanted()).as("records were passed by").isFalse();
    }

    @Test
    void confirmedAcknowledgements_areCountedByType() {
        delivery.confirmed(AcknowledgeType.ACCEPT, 1, 10);
        delivery.confirmed(AcknowledgeType.RELEASE, 2, 10);
        delivery.confirmed(AcknowledgeType.REJECT, 3, 10);
        delivery.confirmed(AcknowledgeType.RENEW, 4, 10);
        assertThat(List.of(
                        counters.accepted.sum(),
                        counters.released.sum(),
                        counters.rejected.sum(),
                        counters.renewed.sum()))
                .containsExactly(1L, 2L, 3L, 4L);
        assertThat(counters.acknowledgements.sum()).isEqualTo(10);
        assertThat(counters.acknowledgementNanos.sum()).isEqualTo(100);
    }

    @Test
    void lockThatIsLost_isCountedOnce_andThePipelineIsToldToDropItsRecord() {
        AcquiredRecord record = receive(0, 1);
        AcquiredRecord last = receive(1, 5);
        delivery.lost(record);
        delivery.lost(record);
        assertThat(record.isGone()).isTrue();
        assertThat(lost).isEqualTo(1);
        assertThat(counters.lockExpired.sum()).isEqualTo(1);
        assertThat(counters.lost.sum()).isZero();
        delivery.lost(last);
        assertThat(counters.lockExpired.sum()).isEqualTo(2);
        assertThat(counters.lost.sum()).as("in its last delivery").isEqualTo(1);
    }

    @Test
    void releasedRecord_isLost_ifItIsInItsLastDelivery_withoutACopy() {
        AcquiredRecord last = receive(1, 5);
        last.copied();
        delivery.goesBack(receive(0, 4));
        delivery.goesBack(last);
        assertThat(counters.lost.sum()).isZero();
        delivery.goesBack(receive(2, 5));
        assertThat(counters.lost.sum()).isEqualTo(1);
    }

    // ---- Unreadable batches and other faults -----------------------------------------------------------------------

    @Test
    void unreadableBatch_failsTheRun_orIsSkipped_orBecomesARecord() {
        assertThatExceptionOfType(RecordDecodeException.class)
                .isThrownBy(() -> delivery.skipsUnreadable(PARTITION, 40, fault))
                .satisfies(failure -> {
                    assertThat(failure.topic()).isEqualTo("orders");
                    assertThat(failure.partition()).isZero();
                    assertThat(failure.offset()).isEqualTo(40);
                })
                .withMessageContaining("maxBatchBytes");
        assertThat(delivery(UnreadableBatches.SKIP).skipsUnreadable(PARTITION, 40, fault))
                .isTrue();
        assertThat(delivery(UnreadableBatches.DEAD_LETTER).skipsUnreadable(PARTITION, 40, fault))
                .isFalse();
        LockedRecord record = delivery.receiveUnreadable(PARTITION, 40, 45, new byte[9], fault, (short) 2);
        assertThat(record.offset()).isEqualTo(40);
        assertThat(((AcquiredRecord) record).delivery()).isEqualTo(2);
        assertThat(((AcquiredRecord) record).unreadable())
                .isNotNull()
                .satisfies(batch -> assertThat(batch.nextOffset()).isEqualTo(45));
        delivery.acquiredAll();
        assertThat(ready.size()).isEqualTo(1);
    }

    @Test
    void corruptLog_isAFaultOfItsOffset() {
        assertThat(delivery.corrupt(PARTITION, 40, "planted"))
                .isInstanceOf(RecordDecodeException.class)
                .hasMessageContaining("orders-0@40")
                .hasMessageContaining("move the group's start offset past it")
                .hasRootCauseMessage("the log is corrupt here (planted)");
    }

    @Test
    void missingPermission_isCompletedByItsName() {
        assertThatThrownBy(() -> delivery.fatal(new GroupAuthorizationException("denied")))
                .isInstanceOfSatisfying(
                        GroupAuthorizationException.class,
                        denied -> assertThat(denied.groupId()).isEqualTo("g"));
        assertThatThrownBy(() -> delivery.fatal(new TopicAuthorizationException("denied")))
                .isInstanceOfSatisfying(
                        TopicAuthorizationException.class,
                        denied -> assertThat(denied.unauthorizedTopics()).containsOnly("orders", "payments"));
        for (KafkaException complete : List.of(
                GroupAuthorizationException.forGroupId("another"),
                new TopicAuthorizationException(Set.of("orders")),
                fault)) {
            assertThatThrownBy(() -> delivery.fatal(complete)).isSameAs(complete);
        }
    }
}
