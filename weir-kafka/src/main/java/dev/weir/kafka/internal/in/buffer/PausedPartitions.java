package dev.weir.kafka.internal.in.buffer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.TopicPartition;

/**
 * The partitions that the user has paused. Thread-safe: users pause partitions, the owner thread adds and removes them.
 *
 * <p>The pipeline pulls no records of a paused partition from the buffer. The client keeps fetching the partition until
 * flow control pauses it.
 */
public final class PausedPartitions {

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Map<TopicPartition, AssignedPartition> assigned = new HashMap<>();
    private final Set<String> topics = new HashSet<>();
    private final Set<TopicPartition> partitions = new HashSet<>();
    private boolean all;

    /** Partitions that {@link #all} does not pause. */
    private Set<TopicPartition> exempt = Set.of();

    /** Adds a partition that was assigned or restarted, and applies existing pauses to it. */
    public void assigned(AssignedPartition partition) {
        lock.lock();
        try {
            assigned.put(partition.id(), partition);
            mark(partition);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes partitions and ends their pauses, because the records still in their buffers are already committed and no
     * other member will receive them.
     */
    void withdrawn(Collection<AssignedPartition> gone) {
        lock.lock();
        try {
            for (AssignedPartition partition : gone) {
                assigned.remove(partition.id(), partition);
                partition.outlet().pause(partition, false);
            }
        } finally {
            lock.unlock();
        }
    }

    public void pauseAll() {
        pauseAllBut(Set.of());
    }

    public void pauseAllBut(Collection<TopicPartition> ids) {
        Set<TopicPartition> left = Set.copyOf(ids);
        change(() -> {
            all = true;
            exempt = left;
            assigned.values().forEach(this::mark);
        });
    }

    public void resumeAll() {
        change(() -> {
            all = false;
            topics.clear();
            partitions.clear();
            assigned.values().forEach(this::mark);
        });
    }

    public void pause(String topic) {
        change(() -> {
            topics.add(topic);
            of(topic).forEach(this::mark);
        });
    }

    public void resume(String topic) {
        change(() -> {
            topics.remove(topic);
            partitions.removeIf(id -> id.topic().equals(topic));
            of(topic).forEach(this::mark);
        });
    }

    public void pause(Collection<TopicPartition> ids) {
        change(() -> {
            for (TopicPartition id : ids) {
                if (partitions.add(id)) {
                    mark(id);
                }
            }
        });
    }

    public void resume(Collection<TopicPartition> ids) {
        change(() -> {
            for (TopicPartition id : ids) {
                if (partitions.remove(id)) {
                    mark(id);
                }
            }
        });
    }

    public boolean isAllPaused() {
        lock.lock();
        try {
            return all && exempt.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    public boolean isPaused(TopicPartition id) {
        lock.lock();
        try {
            return covers(id);
        } finally {
            lock.unlock();
        }
    }

    private void change(Runnable body) {
        lock.lock();
        try {
            body.run();
        } finally {
            lock.unlock();
        }
    }

    private List<AssignedPartition> of(String topic) {
        List<AssignedPartition> found = new ArrayList<>();
        for (AssignedPartition partition : assigned.values()) {
            if (partition.id().topic().equals(topic)) {
                found.add(partition);
            }
        }
        return found;
    }

    private void mark(TopicPartition id) {
        AssignedPartition partition = assigned.get(id);
        if (partition != null) {
            mark(partition);
        }
    }

    /**
     * Applies the current pauses to the partition. Acquires the buffer's lock while holding this class's lock. No code
     * acquires another lock while it holds a buffer's lock.
     */
    private void mark(AssignedPartition partition) {
        partition.outlet().pause(partition, covers(partition.id()));
    }

    private boolean covers(TopicPartition id) {
        return (all && !exempt.contains(id)) || partitions.contains(id) || topics.contains(id.topic());
    }
}
