package dev.weir.kafka;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The answers for a health probe of a consumer. Immutable.
 *
 * @param live whether its thread goes round; if not, only a restart of the pipeline helps
 * @param ready whether it has joined its group, or has its partitions, and knows where to read each of them
 * @param progressing whether work gets finished, or there is none; not if no broker answers
 * @param reason why one of them is not so, or an empty string
 * @param noAnswerSince when a broker last answered, if connections are lost and none answers any more; null while one
 *     does. A broker that is gone is noticed after 5 s, one that holds its connections and is silent after {@code
 *     request.timeout.ms}
 */
public record ConsumerHealth(
        boolean live,
        boolean ready,
        boolean progressing,
        String reason,
        @Nullable Instant noAnswerSince) {

    /** The sentence for {@link #noAnswerSince}, in log, health and dump alike. */
    public static String noAnswer(Instant since) {
        return "no broker answers since " + since.truncatedTo(ChronoUnit.SECONDS);
    }
}
