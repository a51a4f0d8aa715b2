package dev.weir.drivers.weir;

import dev.weir.driver.PartitionTurns;
import dev.weir.driver.Pass;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.stream.RunningPipeline;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * A handler that, after each record, pauses all partitions except one and waits until they are paused. Records that
 * were already pulled are still delivered. Confined to the thread of the pipeline's sink.
 */
final class OneAtATime {
    private final Pass pass;
    private final PartitionTurns turns;
    private final CompletableFuture<ConsumerHandle> consumer = new CompletableFuture<>();
    private final List<TopicPartition> partitions;

    OneAtATime(Pass pass) {
        this.pass = pass;
        this.turns = new PartitionTurns(pass);
        String topic = pass.configuration().topic();
        this.partitions = IntStream.range(0, pass.configuration().partitions())
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
    }

    /** Sets the pipeline whose partitions are paused. */
    void steer(RunningPipeline run) {
        consumer.complete(run.handles(ConsumerHandle.class).get(0));
    }

    void handle(ConsumerRecord<byte[], byte[]> record) {
        turns.delivered(record.partition());
        pass.delivered(record.partition(), record.value());
        int turn = turns.next();
        if (turn >= 0 && !pass.isDone()) {
            Collection<TopicPartition> others = new ArrayList<>(partitions);
            others.remove(partitions.get(turn));
            ConsumerHandle handle = consumer.join();
            // The consumer's thread executes requests in order, so the resume completes after the pause.
            var unused = handle.pause(others);
            handle.resume(List.of(partitions.get(turn))).toCompletableFuture().join();
            turns.othersArePaused();
        }
    }
}
