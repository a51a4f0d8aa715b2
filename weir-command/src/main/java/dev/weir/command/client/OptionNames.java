package dev.weir.command.client;

import dev.weir.metrics.FrontEnd;
import dev.weir.metrics.Limiter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Replaces Java names in the library's messages and advice by command-line options. Stateless. */
public final class OptionNames {

    private static final Map<Pattern, String> NAMES = new LinkedHashMap<>();

    static {
        text("startAt(EARLIEST) or startAt(LATEST)", "--share-from earliest or --share-from latest");
        text("startAt(...)", "--share-from");
        word("startAt", "--share-from");
        word("memberName", "--share-member");
        text(", or allow fewer share consumers (ShareSettings.maxLanes)", "");
        text(", or, on the client's path, allow fewer share consumers (ShareSettings.maxLanes)", "");
        text("fetch(FetchPath.LEAN)", "--fetch lean");
        text("fetch(FetchPath.CLIENT)", "--fetch client");
        text("produce(ProducePath.LEAN)", "--produce lean");
        text("produce(ProducePath.CLIENT)", "--produce client");
        text("produce=LEAN", "--produce lean");
        text("produce=CLIENT", "--produce client");
        text("use KafkaSource.atLeastOnce", "use --guarantee at-least-once");
        text("deadLetter(...)", "--dead-letter");
        text("whenTooLarge(FAIL)", "--dead-letter-too-large fail");
        text("than maxBatchBytes", "than --max-batch-bytes");
        text("raise maxBatchBytes", "raise --max-batch-bytes");
        text("set unreadableBatches to SKIP, or to DEAD_LETTER", "set --unreadable-batches to skip, or to dead-letter");
        word("connectTimeout", "--connect-timeout");
        word("untilEnd", "--until-end");
        word("commitInterval", "weir.commit.interval");
        word("commitRecords", "weir.commit.records");
        word("maxOutstandingRecords", "weir.max.outstanding.records");
        word("bufferBytes", "weir.buffer.bytes");
        word("revokeDeadline", "weir.revoke.deadline");
        word("outOfRange", "weir.out.of.range");
        word("commitMetadataChars", "weir.commit.metadata.chars");
        word("fetchThreads", "weir.fetch.threads");
        word("fetchCpus", "weir.fetch.cpus");
        word("maxBatchBytes", "weir.max.batch.bytes");
        word("unreadableBatches", "weir.unreadable.batches");
        word("onClose", "weir.on.close");
    }

    private OptionNames() {}

    private static void text(String java, String option) {
        NAMES.put(Pattern.compile(Pattern.quote(java)), option);
    }

    /** Adds a name to replace. It must be a whole word, not part of a longer name or key. */
    private static void word(String java, String option) {
        NAMES.put(Pattern.compile("(?<![\\w.$-])" + java + "(\\(\\))?(?![\\w$(])"), option);
    }

    /** Returns the message with Java names replaced by options and keys. */
    public static String in(String message) {
        String said = message;
        for (Map.Entry<Pattern, String> name : NAMES.entrySet()) {
            said = name.getKey().matcher(said).replaceAll(name.getValue());
        }
        return said;
    }

    /** Returns the limiter with its advice worded for the command line. */
    public static Limiter in(Limiter limiter) {
        return limiter.inWordsOf(FrontEnd.COMMAND_LINE, OptionNames::in);
    }
}
