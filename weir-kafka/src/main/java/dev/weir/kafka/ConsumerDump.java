package dev.weir.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that tells why a consumer is where it is. Immutable.
 *
 * @param at when this was so
 * @param reads its subscription
 * @param state its state: running, stopped (nothing more is emitted), or closed
 * @param sinceLastPoll how long ago the client was last polled; the group expels a member after {@code
 *     max.poll.interval.ms}
 * @param assignments how often partitions have come so far
 * @param rebalances how often partitions went away
 * @param commits commits that succeeded so far
 * @param failedCommits commits that failed so far, each of them retried
 * @param partitions the assigned partitions
 * @param noAnswerSince see {@link ConsumerHealth#noAnswerSince}
 */
public record ConsumerDump(
        Instant at,
        String reads,
        String state,
        Duration sinceLastPoll,
        int assignments,
        int rebalances,
        long commits,
        long failedCommits,
        List<PartitionDump> partitions,
        @Nullable Instant noAnswerSince) {

    /** Why nothing is fetched of a partition, or nothing of it goes out. */
    public enum Paused {
        /** The pipeline cannot keep up: {@link ConsumerSettings#maxOutstandingRecords} of it are unfinished. */
        WINDOW("window full"),
        /**
         * The pipeline cannot keep up: the unfinished records fill its share of {@link ConsumerSettings#bufferBytes},
         * or all of it.
         */
        BUDGET("memory budget full"),
        /** A user has paused it. */
        USER("paused by a user"),
        /** Its next record is for later: a retry topic. */
        NOT_DUE("next record not due yet"),
        /** It is not yet known where to start. */
        STARTING("position not known yet"),
        /** No pipeline of a shared consumer reads it. */
        UNREAD("no pipeline reads it"),
        /** It is read to the end that was asked for, or the consumer was stopped. */
        END("at the end that was asked for, or stopped");

        private final String words;

        Paused(String words) {
            this.words = words;
        }

        /** For people. */
        public String words() {
            return words;
        }
    }

    /**
     * Why not everything flows, for people: that no broker answers, if so, and a sentence for each partition that has a
     * reason or an unfinished record.
     */
    public List<String> why() {
        List<String> sentences = new ArrayList<>();
        if (noAnswerSince != null) {
            sentences.add(ConsumerHealth.noAnswer(noAnswerSince));
        }
        if (partitions.isEmpty()) {
            sentences.add(
                    assignments == 0
                            ? "no partition is assigned: not yet a member of the group"
                            : "no partition is assigned: other members have them all");
        }
        for (PartitionDump partition : partitions) {
            List<String> causes = new ArrayList<>();
            partition.paused.stream()
                    .sorted()
                    .forEach(reason -> causes.add(
                            reason == Paused.STARTING && partition.trouble != null
                                    ? reason.words + " (" + partition.trouble + ")"
                                    : reason.words));
            if (partition.oldest != null) {
                causes.add(String.format(
                        Locale.ROOT,
                        "offset %d unfinished for %.1f s, %s",
                        partition.oldest.offset,
                        partition.oldest.age.toMillis() / 1e3,
                        partition.oldest.stage));
            }
            if (!causes.isEmpty()) {
                sentences.add(partition.topic + "-" + partition.partition + ": " + String.join(", ", causes));
            }
        }
        return sentences;
    }

    /**
     * One assigned partition.
     *
     * @param topic its topic
     * @param partition its number
     * @param epoch the number of the assignment with which it came, see {@link ConsumerDump#assignments}
     * @param buffered records fetched that the pipeline has not pulled
     * @param inFlight records pulled and not finished, or finished after one that is not
     * @param oldest the first unfinished record, if there is one
     * @param paused why it stands still, empty if it does not
     * @param committed the offset last committed in this assignment, or -1
     * @param sinceCommit how long ago that was
     * @param position where the next fetch goes on, or -1 if not known
     * @param lag records between the first unfinished one and the end of the partition, or -1 if not known
     * @param lagTime how long ago the first unfinished record was written, by its own timestamp; zero if none is behind; null
     *     if not known: nothing of what is behind was fetched yet, or the record bears no timestamp
     * @param trouble why no broker can say where to start, in words; null if one can, or was asked just now
     */
    public record PartitionDump(
            String topic,
            int partition,
            int epoch,
            int buffered,
            int inFlight,
            @Nullable Oldest oldest,
            Set<Paused> paused,
            long committed,
            @Nullable Duration sinceCommit,
            long position,
            long lag,
            @Nullable Duration lagTime,
            @Nullable String trouble) {}

    /**
     * The first unfinished record of a partition, which keeps all after it from being committed.
     *
     * @param offset its offset
     * @param age how long it has been the first one, to a tenth of a second or so
     * @param keyHash the default partitioner's hash of its key (murmur2), so that the keys themselves need not be
     *     shown; null if it has no key, or if it is not known: the stage that has the record has made something else of
     *     it, or cannot tell. Of a typed key it is known if that is a string, in UTF-8
     * @param stage where it is: {@value #BUFFERED}, not pulled yet; or {@value #IN_FLIGHT}, with the name of the stage
     *     that has it, and whether it waits there, if that is known
     */
    public record Oldest(
            long offset, Duration age, @Nullable Integer keyHash, String stage) {

        /** The stage of a record that the pipeline has not pulled. */
        public static final String BUFFERED = "buffered";

        /** The first words of the stage of a record that the pipeline has pulled. */
        public static final String IN_FLIGHT = "in flight";
    }
}
