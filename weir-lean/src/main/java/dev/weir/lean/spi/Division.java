package dev.weir.lean.spi;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Assigns partitions to threads. With at least as many brokers as threads, each broker belongs to one thread. With
 * fewer, each broker gets its own threads, which share its partitions. Partitions stay with their thread if possible.
 * Stateless.
 */
public final class Division {

    private Division() {}

    /** Returns the new slots of partitions that move. A partition without a known broker stays. */
    public static List<Slot> moves(List<Slot> slots, int threads) {
        SortedMap<Integer, List<Slot>> brokers = new TreeMap<>();
        for (Slot slot : slots) {
            if (slot.broker() >= 0) {
                brokers.computeIfAbsent(slot.broker(), broker -> new ArrayList<>())
                        .add(slot);
            }
        }
        List<Slot> moves = new ArrayList<>();
        if (brokers.size() >= threads) {
            wholeBrokers(brokers, threads, moves);
        } else {
            sharedBrokers(brokers, threads, moves);
        }
        return moves;
    }

    /** Assigns brokers in descending order of their partition counts, each to the thread with the fewest partitions. */
    private static void wholeBrokers(SortedMap<Integer, List<Slot>> brokers, int threads, List<Slot> moves) {
        List<List<Slot>> bySize = new ArrayList<>(brokers.values());
        bySize.sort(Comparator.comparingInt(slots -> -slots.size())); // Ties stay in broker id order (stable sort).
        int[] load = new int[threads];
        for (List<Slot> slots : bySize) {
            int best = 0;
            for (int thread = 1; thread < threads; thread++) {
                int more = load[best] - load[thread];
                if (more > 0 || (more == 0 && owned(slots, thread) > owned(slots, best))) {
                    best = thread;
                }
            }
            load[best] += slots.size();
            for (Slot slot : slots) {
                move(slot, best, moves);
            }
        }
    }

    private static void sharedBrokers(SortedMap<Integer, List<Slot>> brokers, int threads, List<Slot> moves) {
        SortedMap<Integer, Integer> counts = threadsOfBrokers(brokers, threads);
        List<Integer> free = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            free.add(thread);
        }
        brokers.forEach((broker, slots) -> {
            free.sort(Comparator.<Integer>comparingInt(thread -> -owned(slots, thread))
                    .thenComparing(Comparator.naturalOrder()));
            List<Integer> taken = free.subList(0, counts.getOrDefault(broker, 1));
            spread(slots, List.copyOf(taken), moves);
            taken.clear();
        });
    }

    /** Gives each broker one thread. Each remaining thread goes to the broker with the most partitions per thread. */
    private static SortedMap<Integer, Integer> threadsOfBrokers(SortedMap<Integer, List<Slot>> brokers, int threads) {
        SortedMap<Integer, Integer> counts = new TreeMap<>();
        brokers.keySet().forEach(broker -> counts.put(broker, 1));
        for (int left = threads - brokers.size(); left > 0; left--) {
            int best = -1;
            double most = 1;
            for (var broker : brokers.entrySet()) {
                double each = (double) broker.getValue().size() / counts.getOrDefault(broker.getKey(), 1);
                if (each > most) {
                    most = each;
                    best = broker.getKey();
                }
            }
            if (best < 0) {
                break; // No thread has more than one partition, so more threads would not help.
            }
            counts.merge(best, 1, Integer::sum);
        }
        return counts;
    }

    private static void spread(List<Slot> slots, List<Integer> threads, List<Slot> moves) {
        int few = slots.size() / threads.size();
        int withOneMore = slots.size() % threads.size();
        int[] counts = new int[threads.size()];
        List<Slot> homeless = new ArrayList<>();
        for (Slot slot : slots) {
            int at = threads.indexOf(slot.thread());
            if (at >= 0 && (counts[at] < few || (counts[at] == few && withOneMore > 0))) {
                withOneMore -= counts[at] == few ? 1 : 0;
                counts[at]++;
            } else {
                homeless.add(slot);
            }
        }
        for (Slot slot : homeless) {
            int least = 0;
            for (int at = 1; at < counts.length; at++) {
                least = counts[at] < counts[least] ? at : least;
            }
            counts[least]++;
            move(slot, threads.get(least), moves);
        }
    }

    private static int owned(List<Slot> slots, int thread) {
        int count = 0;
        for (Slot slot : slots) {
            count += slot.thread() == thread ? 1 : 0;
        }
        return count;
    }

    private static void move(Slot slot, int thread, List<Slot> moves) {
        if (slot.thread() != thread) {
            moves.add(new Slot(slot.partition(), slot.broker(), thread));
        }
    }
}
