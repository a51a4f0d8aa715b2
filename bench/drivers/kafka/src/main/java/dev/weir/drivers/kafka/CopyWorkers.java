package dev.weir.drivers.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/**
 * Threads that process the records of one poll during the next poll. Without threads, the caller processes them. Each
 * partition has one thread, which keeps the order of its records. Confined to the caller's thread.
 */
final class CopyWorkers implements AutoCloseable {
    private final List<ExecutorService> threads;
    private final List<Future<?>> running = new ArrayList<>();

    CopyWorkers(int count) {
        threads = IntStream.range(0, count)
                .mapToObj(i -> Executors.newSingleThreadExecutor())
                .toList();
    }

    /** Waits for the previous call's records, then hands the records of each partition to the partition's thread. */
    void run(ConsumerRecords<byte[], byte[]> records, Consumer<List<ConsumerRecord<byte[], byte[]>>> work)
            throws InterruptedException {
        await();
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> some = records.records(partition);
            if (threads.isEmpty()) {
                work.accept(some);
            } else {
                running.add(threads.get(partition.partition() % threads.size()).submit(() -> work.accept(some)));
            }
        }
    }

    /** Waits until all records handed to threads are done. Fails if a thread failed. */
    void await() throws InterruptedException {
        try {
            for (Future<?> task : running) {
                task.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a worker failed: " + e.getCause(), e.getCause());
        } finally {
            running.clear();
        }
    }

    @Override
    public void close() {
        threads.forEach(ExecutorService::close);
    }
}
