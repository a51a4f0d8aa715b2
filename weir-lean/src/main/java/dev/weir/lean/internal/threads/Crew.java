package dev.weir.lean.internal.threads;

import dev.weir.lean.LeanMetrics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one reader. The first of them is home: it finds partitions, and divides. All of them end with the
 * first that fails. Thread-safe, where not said otherwise.
 */
public final class Crew {
    private final List<LeanThread> members = new ArrayList<>(); // fixed before the first one starts
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final CompletableFuture<Void> completion = new CompletableFuture<>();
    private volatile boolean ending;

    /** Before the start. */
    public void add(LeanThread member) {
        members.add(member);
    }

    /** Once, by the thread that added the members. */
    public void start() {
        running.set(members.size());
        for (LeanThread member : members) {
            threads.add(Thread.ofPlatform().name("weir-lean-" + member.number()).unstarted(member));
        }
        threads.forEach(Thread::start);
    }

    /** By the home thread: asks owners to give away what another thread is to read. */
    void divide() {
        List<Slot> slots = new ArrayList<>();
        Set<TopicPartition> seen = new HashSet<>();
        Set<TopicPartition> moving = new HashSet<>();
        for (LeanThread member : members) {
            for (Slot slot : member.slots()) {
                slots.add(slot);
                if (!seen.add(slot.partition())) {
                    moving.add(slot.partition()); // Its new owner has told of it, its old one not yet.
                }
            }
        }
        slots.removeIf(slot -> moving.contains(slot.partition()));
        Map<TopicPartition, Integer> owners = new HashMap<>();
        slots.forEach(slot -> owners.put(slot.partition(), slot.thread()));
        for (Slot move : Division.moves(slots, members.size())) {
            members.get(owners.getOrDefault(move.partition(), 0)).give(move.partition(), members.get(move.thread()));
        }
    }

    /** Who reads what, as the threads last told it. */
    public Map<TopicPartition, Integer> owners() {
        Map<TopicPartition, Integer> owners = new HashMap<>();
        members.forEach(member -> member.slots().forEach(slot -> owners.put(slot.partition(), slot.thread())));
        return owners;
    }

    public List<LeanMetrics> metrics() {
        return members.stream().map(LeanThread::metrics).toList();
    }

    public CompletionStage<Void> completion() {
        return completion.minimalCompletionStage();
    }

    boolean isEnding() {
        return ending;
    }

    void ended(@Nullable Throwable why) {
        if (why != null && !failure.compareAndSet(null, why)) {
            Throwable first = failure.get();
            if (first != null && first != why) {
                first.addSuppressed(why);
            }
        }
        end();
        if (running.decrementAndGet() == 0) {
            Throwable first = failure.get();
            if (first == null) {
                completion.complete(null);
            } else {
                completion.completeExceptionally(first);
            }
        }
    }

    /** Asks all threads to end after the record that they are at; does not wait. */
    public void end() {
        ending = true;
        members.forEach(LeanThread::wakeup);
    }

    /** Waits until all threads have ended, but for the caller's own. */
    public void join() {
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive() && thread != Thread.currentThread()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
