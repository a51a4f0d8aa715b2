package dev.weir.kafka.internal.in.position;

import dev.weir.kafka.Position;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.spi.Lookup;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Finds out from the brokers whether logs contain given positions. Used for partitions that are not fetched. Confined
 * to the owner thread.
 *
 * <p>A log contains the positions from its start to its high watermark. A position does not belong to the log if its
 * leader epoch shows that the records before it were replaced. Queries without a response are repeated every second.
 */
final class LogRange {

    /** The result for a position. */
    enum Answer {
        UNKNOWN,
        WITHIN,
        OUTSIDE,
        /** The log was truncated before the position. It may contain the offset again, with a different record. */
        TRUNCATED
    }

    private static final class Question {

        final LogPosition position;
        Answer answer = Answer.UNKNOWN;
        boolean underWay;
        long dueNanos;

        /** The result of comparing the offset with the log's range. */
        Answer inRange = Answer.UNKNOWN;

        /** The first offset at which the log differs from the log that was read. */
        long divergentOffset;

        /** The reason for the last failure, or an empty string. */
        String trouble = "";

        Question(LogPosition position, long dueNanos) {
            this.position = position;
            this.dueNanos = dueNanos;
        }

        boolean hasEpoch() {
            return position.leaderEpoch() >= 0 && position.offset() > 0;
        }
    }

    private static final ConsumerLog LOG = ConsumerLog.of(LogRange.class);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Lookup lookup;
    private final OwnerClock clock;
    private final Executor owner;
    private final Runnable onAnswer;
    private final Map<TopicPartition, Question> questions = new HashMap<>();

    /**
     * Creates a range check.
     *
     * @param owner the owner thread, which processes responses
     * @param onAnswer called on the owner thread when the result of {@link #find} may have changed
     */
    LogRange(Lookup lookup, OwnerClock clock, Executor owner, Runnable onAnswer) {
        this.lookup = lookup;
        this.clock = clock;
        this.owner = owner;
        this.onAnswer = onAnswer;
    }

    /** Returns the result for the position; {@link Answer#UNKNOWN} until {@link #askIfDue} has queried it. */
    Answer find(TopicPartition id, LogPosition position) {
        Question question = questions.get(id);
        if (question == null || !question.position.equals(position)) {
            question = new Question(position, clock.nanoTime());
            questions.put(id, question);
        }
        return question.answer;
    }

    /**
     * Returns the first offset at which the log differs from the log that was read. Must be called only if the result
     * is {@link Answer#TRUNCATED}.
     */
    long divergentOffset(TopicPartition id) {
        return Objects.requireNonNull(questions.get(id)).divergentOffset;
    }

    void forget(TopicPartition id) {
        questions.remove(id);
    }

    /** Returns the reason why the query has no result yet; null if it has a result or has not failed. */
    @Nullable
    String trouble(TopicPartition id) {
        Question question = questions.get(id);
        return question == null || question.answer != Answer.UNKNOWN || question.trouble.isEmpty()
                ? null
                : unanswered(id, question);
    }

    private static String unanswered(TopicPartition id, Question question) {
        return "no broker says whether the log of " + id + " has offset " + question.position + ": " + question.trouble;
    }

    void askIfDue() {
        Map<TopicPartition, Question> ranges = new HashMap<>();
        Map<TopicPartition, Question> epochs = new HashMap<>();
        questions.forEach((id, question) -> {
            if (question.answer == Answer.UNKNOWN && !question.underWay && clock.nanoTime() - question.dueNanos >= 0) {
                question.underWay = true;
                (question.inRange == Answer.UNKNOWN ? ranges : epochs).put(id, question);
            }
        });
        if (!ranges.isEmpty()) {
            askForRanges(ranges);
        }
        if (!epochs.isEmpty()) {
            askForEpochs(epochs);
        }
    }

    private void askForRanges(Map<TopicPartition, Question> due) {
        var beginnings = lookup.offsets(edges(due.keySet(), Position.beginning()), TIMEOUT);
        Map<TopicPartition, CompletionStage<Long>> ends = new HashMap<>(lookup.highWatermarks(due.keySet(), TIMEOUT));
        Set<TopicPartition> others = new HashSet<>(due.keySet());
        others.removeAll(ends.keySet());
        ends.putAll(lookup.offsets(edges(others, Position.end()), TIMEOUT));
        due.forEach((id, question) -> Objects.requireNonNull(beginnings.get(id))
                .thenCombine(
                        Objects.requireNonNull(ends.get(id)),
                        (from, to) -> from <= question.position.offset() && question.position.offset() <= to)
                .whenComplete((within, failure) -> owner.execute(() -> answered(id, question, within, failure))));
    }

    private static Map<TopicPartition, Position> edges(Set<TopicPartition> ids, Position edge) {
        Map<TopicPartition, Position> edges = new HashMap<>();
        ids.forEach(id -> edges.put(id, edge));
        return edges;
    }

    private void answered(TopicPartition id, Question question, @Nullable Boolean within, @Nullable Throwable failure) {
        question.underWay = false;
        if (within == null) {
            failed(id, question, failure);
            return;
        }
        question.inRange = within ? Answer.WITHIN : Answer.OUTSIDE;
        if (!question.hasEpoch()) {
            question.answer = question.inRange;
        }
        onAnswer.run();
    }

    /** Queries leader epochs, even for positions after the end of the log. */
    private void askForEpochs(Map<TopicPartition, Question> due) {
        Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
        due.forEach((id, question) -> positions.put(id, question.position.commit("")));
        var divergences = lookup.divergentOffsets(positions, TIMEOUT);
        due.forEach((id, question) -> Objects.requireNonNull(divergences.get(id))
                .whenComplete((offset, failure) -> owner.execute(() -> compared(id, question, offset, failure))));
    }

    private void compared(TopicPartition id, Question question, @Nullable Long divergent, @Nullable Throwable failure) {
        question.underWay = false;
        if (divergent == null) {
            question.inRange = Answer.UNKNOWN;
            failed(id, question, failure);
            return;
        }
        question.divergentOffset = divergent;
        question.answer = divergent < question.position.offset() ? Answer.TRUNCATED : question.inRange;
        onAnswer.run();
    }

    private void failed(TopicPartition id, Question question, @Nullable Throwable failure) {
        String why = failure == null ? "" : String.valueOf(Thrown.message(Thrown.unwrapped(failure)));
        question.dueNanos = clock.nanoTime() + RETRY.toNanos();
        if (!why.equals(question.trouble)) {
            question.trouble = why;
            LOG.warn("{}; it is queried again", unanswered(id, question));
        }
    }
}
