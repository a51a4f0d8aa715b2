package dev.weir.console.internal.profile;

import java.util.List;

/** The owner of a frame's code. */
enum FrameKind {
    /** User code, which is all code that has no other owner. */
    USER,
    ENGINE,
    CLIENT,
    /** Code of a Kafka broker in this process, as in {@code weir demo}. A broker also calls classes of the client. */
    BROKER,
    /** Code of the JDK or of a general library, which counts as code of its caller. */
    SERVING;

    private static final List<String> OF_ENGINE =
            List.of("dev.weir.stream.", "dev.weir.kafka.", "dev.weir.lean.", "dev.weir.metrics.", "dev.weir.console.");

    private static final List<String> OF_CLIENT = List.of("org.apache.kafka.");

    private static final List<String> OF_BROKER = List.of(
            "kafka.",
            "org.apache.kafka.controller.",
            "org.apache.kafka.coordinator.",
            "org.apache.kafka.image.",
            "org.apache.kafka.metadata.",
            "org.apache.kafka.network.",
            "org.apache.kafka.queue.",
            "org.apache.kafka.raft.",
            "org.apache.kafka.server.",
            "org.apache.kafka.storage.");

    private static final List<String> SERVES = List.of(
            "java.",
            "javax.",
            "jdk.",
            "sun.",
            "com.sun.",
            "com.github.luben.zstd.",
            "net.jpountz.",
            "org.xerial.snappy.",
            "org.HdrHistogram.",
            "io.micrometer.",
            "org.slf4j.");

    static FrameKind of(String type) {
        if (startsWithAny(type, OF_ENGINE)) {
            return ENGINE;
        }
        if (startsWithAny(type, OF_BROKER)) {
            return BROKER;
        }
        if (startsWithAny(type, OF_CLIENT)) {
            return CLIENT;
        }
        return startsWithAny(type, SERVES) ? SERVING : USER;
    }

    private static boolean startsWithAny(String type, List<String> prefixes) {
        for (String prefix : prefixes) {
            if (type.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
