package dev.weir.kafka.internal.in.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.lean.LeanMetrics;
import dev.weir.lean.StartAt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests how partitions are divided among several scripted fetch threads. */
class ThreadedReaderTest {

    private static final Uuid TOPIC_ID = Uuid.randomUuid();

    private final Lane first = new Lane(0);
    private final Lane second = new Lane(1);
    private final ThreadedReader reader = new ThreadedReader(List.of(first, second), 0);

    /** A fetch thread that records its commands and returns the records of a script. */
    private static final class Lane implements PartitionFetcher {

        private final int number;
        private final List<String> orders = new ArrayList<>();
        private final Map<TopicPartition, PartitionPlacement> has = new HashMap<>();
        private final Queue<FetchedTurn> turns = new ArrayDeque<>();

        private Lane(int number) {
            this.number = number;
        }

        private void order(String what, PartitionPlacement placement) {
            orders.add(what + " " + placement.partition.id.partition());
        }

        private PartitionPlacement placement(LeanPartition partition) {
            return Objects.requireNonNull(has.get(partition.id));
        }

        private static FetchedTurn.Part part(PartitionPlacement placement, long position, int broker, int records) {
            FetchedTurn.Part part = new FetchedTurn.Part(placement);
            for (int i = records; i > 0; i--) {
                part.elements.add(new Fetched.OfRecord(
                        new ConsumerRecord<>("t", placement.partition.id.partition(), position - i, null, null)));
            }
            part.position = position;
            part.leaderEpoch = 3;
            part.endOffset = broker < 0 ? -1 : 100;
            part.broker = broker;
            return part;
        }

        private void tells(FetchedTurn.Part part) {
            FetchedTurn turn = new FetchedTurn();
            turn.parts.add(part);
            turns.add(turn);
        }

        private void tells(LeanPartition partition, long position, int broker, int records) {
            tells(part(placement(partition), position, broker, records));
        }

        @Override
        public int number() {
            return number;
        }

        @Override
        public void add(PartitionPlacement placement, StartAt start, Uuid topicId) {
            String where = " at " + start.offset() + (topicId.equals(TOPIC_ID) ? " in its topic" : "");
            order("add" + where + (placement.paused ? " paused" : "") + ":", placement);
            has.put(placement.partition.id, placement);
        }

        @Override
        public void replace(PartitionPlacement earlier, PartitionPlacement placement, StartAt start) {
            order("replace at " + start.offset() + ":", placement);
            has.put(placement.partition.id, placement);
        }

        @Override
        public void remove(PartitionPlacement placement) {
            order("remove", placement);
        }

        @Override
        public void giveAway(PartitionPlacement placement) {
            order("give away", placement);
        }

        @Override
        public void pausedOrResumed(PartitionPlacement placement, boolean paused) {
            order(paused ? "pause" : "resume", placement);
        }

        @Override
        public @Nullable FetchedTurn take() {
            return turns.poll();
        }

        @Override
        public LeanMetrics metrics() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void end() {
            orders.add("end");
        }

        @Override
        public void join() {
            orders.add("join");
        }
    }

    private LeanPartition placed(int number) {
        LeanPartition partition = new LeanPartition(new TopicPartition("t", number));
        reader.place(partition, StartAt.offset(10));
        return partition;
    }

    private void turns() {
        int work;
        do {
            work = reader.turn();
        } while (work > 0);
    }

    /**
     * Assigns four partitions. The second thread must give the last partition to the first, which uses the same broker.
     */
    private LeanPartition leaving() {
        LeanPartition a = placed(0);
        LeanPartition b = placed(1);
        LeanPartition c = placed(2);
        LeanPartition d = placed(3);
        first.tells(a, 10, 1, 0);
        first.tells(c, 10, 1, 0);
        second.tells(b, 10, 2, 0);
        turns();
        assertThat(second.orders).doesNotContain("give away 3");
        second.tells(d, 12, 1, 2);
        turns();
        assertThat(second.orders).containsOnlyOnce("give away 3");
        return d;
    }

    private void givesAway(PartitionPlacement placement, long position, int records) {
        FetchedTurn.Part part = Lane.part(placement, position, 1, records);
        part.givenAway = TOPIC_ID;
        second.tells(part);
    }

    private void givesAway(LeanPartition partition, long position, int records) {
        givesAway(second.placement(partition), position, records);
        turns();
    }

    @Test
    void givenAway_isReadOnByTheOther_behindItsRecords_inItsTopic() {
        LeanPartition partition = leaving();
        givesAway(partition, 15, 3);
        assertThat(first.orders).endsWith("add at 15 in its topic: 3");
        assertThat(partition.handOut(10)).extracting(Fetched::offset).containsExactly(10L, 11L, 12L, 13L, 14L);
        assertThat(reader.position(partition)).isEqualTo(15);
        assertThat(reader.leaderEpoch(partition)).isEqualTo(3);

        first.tells(partition, 15, -1, 0); // It has just begun there.
        turns();
        assertThat(reader.endOffset(partition)).isEqualTo(100);
        assertThat(second.orders).containsOnlyOnce("give away 3");
        assertThat(first.orders).doesNotContain("give away 3");
    }

    @Test
    void pausedWhileLeaving_isPausedOnTheOther() {
        LeanPartition partition = leaving();
        partition.paused = true;
        reader.pausedOrResumed(partition);
        givesAway(partition, 15, 3);
        assertThat(first.orders).endsWith("add at 15 in its topic paused: 3");
    }

    @Test
    void removedWhileLeaving_isDropped() {
        LeanPartition partition = leaving();
        partition.drop();
        reader.remove(partition);
        givesAway(partition, 15, 3);
        assertThat(second.orders).endsWith("remove 3");
        assertThat(first.orders).noneMatch(order -> order.endsWith(" 3"));
        assertThat(partition.isEmpty()).isTrue();
        assertThat(reader.isPlaced(partition)).isFalse();
    }

    @Test
    void soughtWhileLeaving_isReadFromThere_andNothingOfBeforeIsAdded() {
        LeanPartition partition = leaving();
        PartitionPlacement before = second.placement(partition);
        partition.drop();
        reader.place(partition, StartAt.offset(50));
        givesAway(before, 15, 3);
        turns();
        assertThat(second.orders).contains("replace at 50: 3").endsWith("give away 3");
        assertThat(partition.isEmpty()).isTrue();
        assertThat(reader.position(partition)).isEqualTo(50);

        givesAway(partition, 52, 2);
        assertThat(first.orders).endsWith("add at 52 in its topic: 3");
    }

    @Test
    void faultWhileLeaving_stays_untilItIsSought() {
        LeanPartition partition = leaving();
        KafkaException fault = new KafkaException("a fault");
        FetchedTurn.Part part = Lane.part(second.placement(partition), 12, 1, 0);
        part.failure = fault;
        second.tells(part);
        turns();
        assertThat(partition.failure).isSameAs(fault);
        assertThat(second.orders).containsOnlyOnce("give away 3");

        partition.failure = null;
        partition.drop();
        reader.place(partition, StartAt.offset(20));
        turns();
        assertThat(second.orders).endsWith("replace at 20: 3", "give away 3");
    }

    @Test
    void failureOfOne_isThrown_andBothAreEnded() {
        LeanPartition a = placed(0);
        IllegalStateException failure = new IllegalStateException("a decoder's");
        first.tells(a, 11, 1, 1);
        FetchedTurn last = new FetchedTurn();
        last.failure = failure;
        second.turns.add(last);
        assertThatThrownBy(this::turns).isSameAs(failure);
        assertThat(a.handOut(10)).hasSize(1);
        reader.close();
        assertThat(first.orders).endsWith("end", "join");
        assertThat(second.orders).endsWith("end", "join");
    }

    /** Regression: each time a partition was resumed while its records waited, it was fetched up to two more times. */
    @Test
    void resumedWithRecordsThatWait_isFetchedOnlyOnceTheyAreOut() {
        LeanPartition slow = placed(0);
        first.tells(slow, 14, 1, 4);
        turns();
        for (int i = 0; i < 3; i++) {
            slow.paused = true;
            reader.pausedOrResumed(slow);
            turns();
            slow.paused = false;
            reader.pausedOrResumed(slow);
            assertThat(slow.handOut(1)).hasSize(1);
        }
        assertThat(first.orders).containsExactly("add at 10: 0", "pause 0");
        assertThat(slow.handOut(1)).hasSize(1);
        turns();
        assertThat(first.orders).endsWith("pause 0", "resume 0");
    }

    /** The library is not on the class path of these tests. */
    @Test
    void cpus_withoutTheLibrary_areRefusedByName() {
        assertThatThrownBy(() -> LeanFetcher.open(
                        new MockConsumer<>("earliest"),
                        Map.of(),
                        1,
                        "name",
                        1,
                        List.of(0),
                        time -> FetchedMaker.copying()))
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("fetchCpus needs the library net.openhft:affinity");
    }
}
