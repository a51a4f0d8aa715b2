package dev.weir.lean.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class DivisionTest {

    @Test
    void asManyBrokersAsThreads_noTwoThreadsAskOne() {
        List<Slot> divided = divide(slots(0, 1, 2, 0, 1, 2), 2);

        assertThat(threadsByBroker(divided).values()).allMatch(threads -> threads.size() == 1);
        assertThat(sizes(divided, 2)).containsExactlyInAnyOrder(2, 4);
    }

    @Test
    void oneBroker_isSharedByAllThreads_evenly() {
        assertThat(sizes(divide(slots(7, 7, 7, 7, 7, 7, 7), 3), 3)).containsExactlyInAnyOrder(2, 2, 3);
    }

    @Test
    void threeThreadsAndTwoBrokers_theLargerHasTwo_andNoneAsksBoth() {
        List<Slot> divided = divide(slots(1, 1, 1, 1, 2, 2), 3);

        assertThat(sizes(divided, 3)).containsExactly(2, 2, 2);
        assertThat(threadsByBroker(divided))
                .hasEntrySatisfying(1, threads -> assertThat(threads).hasSize(2));
        assertThat(threadsByBroker(divided))
                .hasEntrySatisfying(2, threads -> assertThat(threads).hasSize(1));
    }

    @Test
    void moreThreadsThanPartitions_eachHasOneOrNone() {
        assertThat(sizes(divide(slots(1, 1), 4), 4)).containsExactlyInAnyOrder(0, 0, 1, 1);
    }

    @Test
    void unknownBroker_staysWhereItIs() {
        List<Slot> slots = List.of(new Slot(partition(0), -1, 1), new Slot(partition(1), 4, 0));

        assertThat(Division.moves(slots, 2)).noneMatch(move -> move.partition().partition() == 0);
    }

    /**
     * Divides random partitions. The result must obey the rules of {@link Division}, and dividing again must move
     * nothing.
     */
    @Test
    void anything_isDividedOnce() {
        for (int seed = 0; seed < 5_000; seed++) {
            Random random = new Random(seed);
            int threads = 1 + random.nextInt(6);
            int brokers = 1 + random.nextInt(6);
            List<Slot> slots = new ArrayList<>();
            for (int i = random.nextInt(20); i >= 0; i--) {
                slots.add(new Slot(partition(i), random.nextInt(brokers), random.nextInt(threads)));
            }
            List<Slot> divided = apply(slots, Division.moves(slots, threads));
            assertThat(Division.moves(divided, threads)).as("seed " + seed).isEmpty();
            Map<Integer, Set<Integer>> byBroker = threadsByBroker(divided);
            if (byBroker.size() >= threads) {
                assertThat(byBroker.values()).as("seed " + seed).allMatch(each -> each.size() == 1);
            } else {
                assertThat(byBroker.values().stream().flatMap(Collection::stream))
                        .as("seed " + seed)
                        .doesNotHaveDuplicates();
            }
        }
    }

    private static List<Slot> divide(List<Slot> slots, int threads) {
        return apply(slots, Division.moves(slots, threads));
    }

    private static List<Slot> apply(List<Slot> slots, List<Slot> moves) {
        Map<TopicPartition, Slot> divided = new HashMap<>();
        slots.forEach(slot -> divided.put(slot.partition(), slot));
        moves.forEach(move -> divided.put(move.partition(), move));
        return List.copyOf(divided.values());
    }

    /** Returns partitions that all belong to thread 0. */
    private static List<Slot> slots(int... brokers) {
        List<Slot> slots = new ArrayList<>();
        for (int broker : brokers) {
            slots.add(new Slot(partition(slots.size()), broker, 0));
        }
        return slots;
    }

    private static TopicPartition partition(int number) {
        return new TopicPartition("clicks", number);
    }

    private static Map<Integer, Set<Integer>> threadsByBroker(List<Slot> slots) {
        Map<Integer, Set<Integer>> threads = new HashMap<>();
        slots.forEach(slot -> threads.computeIfAbsent(slot.broker(), broker -> new HashSet<>())
                .add(slot.thread()));
        return threads;
    }

    private static List<Integer> sizes(List<Slot> slots, int threads) {
        List<Integer> sizes = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            int number = thread;
            sizes.add(
                    (int) slots.stream().filter(slot -> slot.thread() == number).count());
        }
        return sizes;
    }
}
