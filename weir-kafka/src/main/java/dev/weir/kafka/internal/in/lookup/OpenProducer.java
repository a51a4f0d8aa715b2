package dev.weir.kafka.internal.in.lookup;

import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeProducersOptions;
import org.apache.kafka.clients.admin.DescribeTransactionsOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.common.TopicPartition;

/**
 * Finds the producer of a partition's oldest open transaction. Immutable. The partition's leader knows the producer ids
 * (requires READ on the topic). Coordinators know the transactional id and the start time (requires DESCRIBE on the
 * transactional id).
 */
record OpenProducer(Admin admin, int millis) {

    OpenProducer(Admin admin, Duration within) {
        this(admin, (int) within.toMillis());
    }

    /** Returns a description of the producer; fails if the partition's leader does not respond. */
    CompletionStage<String> of(TopicPartition id) {
        return admin.describeProducers(List.of(id), new DescribeProducersOptions().timeoutMs(millis))
                .partitionResult(id)
                .toCompletionStage()
                .thenCompose(partition -> partition.activeProducers().stream()
                        .filter(producer ->
                                producer.currentTransactionStartOffset().isPresent())
                        .min(Comparator.comparingLong(producer ->
                                producer.currentTransactionStartOffset().orElseThrow()))
                        .map(this::words)
                        .orElseGet(() -> CompletableFuture.completedStage("it has ended just now")));
    }

    private CompletionStage<String> words(ProducerState producer) {
        String number = "producer id " + producer.producerId() + ", epoch " + producer.producerEpoch()
                + ", its newest record of " + Instant.ofEpochMilli(producer.lastTimestamp()) + ", ";
        return admin.listTransactions(new ListTransactionsOptions()
                        .filterProducerIds(Set.of(producer.producerId()))
                        .timeoutMs(millis))
                .all()
                .toCompletionStage()
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedStage("no coordinator reports its transactional id")
                        : transaction(found.iterator().next().transactionalId()))
                .exceptionally(
                        unknown -> "its transactional id is not known: " + Thrown.message(Thrown.unwrapped(unknown)))
                .thenApply(number::concat);
    }

    private CompletionStage<String> transaction(String id) {
        return admin.describeTransactions(List.of(id), new DescribeTransactionsOptions().timeoutMs(millis))
                .description(id)
                .toCompletionStage()
                .thenApply(transaction -> "transactional id " + id + ", " + transaction.state() + since(transaction)
                        + " with a timeout of " + transaction.transactionTimeoutMs() + " ms");
    }

    private static String since(TransactionDescription transaction) {
        return transaction.transactionStartTimeMs().isPresent()
                ? " since "
                        + Instant.ofEpochMilli(
                                transaction.transactionStartTimeMs().getAsLong())
                : "";
    }
}
