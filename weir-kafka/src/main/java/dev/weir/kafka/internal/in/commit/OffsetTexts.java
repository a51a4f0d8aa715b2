package dev.weir.kafka.internal.in.commit;

import dev.weir.stream.spi.Thrown;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Formats committed offsets for messages. Stateless. */
public final class OffsetTexts {

    /** Maximum number of partitions listed in a message. Further ones are only counted. */
    private static final int MOST = 12;

    private static final Pattern RAW =
            Pattern.compile("OffsetAndMetadata\\{offset=(-?[0-9]+), leaderEpoch=[^,]*, metadata='[^']*'}");

    private OffsetTexts() {}

    /** Formats offsets like {@code orders-0@17, orders-1@4 and 3 more}. */
    public static String of(Map<TopicPartition, OffsetAndMetadata> offsets) {
        List<String> named = offsets.entrySet().stream()
                .sorted(Map.Entry.comparingByKey(
                        Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition)))
                .map(each -> each.getKey() + "@" + each.getValue().offset())
                .limit(MOST)
                .collect(Collectors.toList());
        int more = offsets.size() - named.size();
        return String.join(", ", named) + (more > 0 ? " and " + more + " more" : "");
    }

    /** Returns the exception's message, with offsets shortened and commit metadata removed. */
    public static String messageOf(Throwable fault) {
        return RAW.matcher(String.valueOf(Thrown.message(fault))).replaceAll("$1");
    }
}
