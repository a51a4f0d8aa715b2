package dev.weir.console.internal.http;

import dev.weir.console.internal.state.Json;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the live objects of this process by class, one request at a time. Thread-safe.
 *
 * <p>The JVM's class histogram first runs a garbage collection and pauses all threads of the process.
 */
final class HeapRequests {

    static final String PATH = "/api/heap";

    /** Maximum number of classes reported, largest first. */
    static final int MOST = 40;

    private static final Logger LOG = LoggerFactory.getLogger(HeapRequests.class);

    private static final String BEAN = "com.sun.management:type=DiagnosticCommand";

    private static final Pattern LINE = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+).*");

    private static final Pattern TOTAL = Pattern.compile("Total\\s+(\\d+)\\s+(\\d+)");

    private static final Semaphore COUNTING = new Semaphore(1);

    private HeapRequests() {}

    static ProfileRequests.Outcome count() {
        if (!COUNTING.tryAcquire()) {
            return ProfileRequests.Outcome.error(409, "the heap is being counted: ask again in some seconds");
        }
        try {
            Object text = ManagementFactory.getPlatformMBeanServer()
                    .invoke(new ObjectName(BEAN), "gcClassHistogram", new Object[] {new String[0]}, new String[] {
                        String[].class.getName()
                    });
            return new ProfileRequests.Outcome(
                    200, json(String.valueOf(text).lines().toList(), null));
        } catch (JMException | RuntimeException e) {
            LOG.debug("no class histogram", e);
            return new ProfileRequests.Outcome(
                    200,
                    json(
                            List.of(),
                            "this JVM offers no class histogram: its module jdk.management has no DiagnosticCommand"
                                    + " bean, or a setting forbids it"));
        } finally {
            COUNTING.release();
        }
    }

    /** Returns the response with a histogram, or the reason why there is none. */
    static String json(List<String> lines, @Nullable String reason) {
        return Json.object(json -> {
            json.writeBooleanField("available", reason == null);
            if (reason != null) {
                json.writeStringField("reason", reason);
            }
            json.writeArrayFieldStart("classes");
            int told = 0;
            long bytes = 0;
            for (String line : lines) {
                Matcher found = LINE.matcher(line);
                Matcher total = TOTAL.matcher(line.strip());
                if (total.matches()) {
                    bytes = Long.parseLong(total.group(2));
                } else if (told < MOST && found.matches()) {
                    told++;
                    json.writeStartObject();
                    json.writeStringField("class", readable(found.group(3)));
                    json.writeNumberField("objects", Long.parseLong(found.group(1)));
                    json.writeNumberField("bytes", Long.parseLong(found.group(2)));
                    json.writeEndObject();
                }
            }
            json.writeEndArray();
            json.writeNumberField("bytes", bytes);
        });
    }

    /** Returns the class name in Java syntax, such as {@code byte[]} for {@code [B}. */
    static String readable(String name) {
        int dimensions = name.lastIndexOf('[') + 1;
        if (dimensions == 0) {
            return name;
        }
        String element = name.substring(dimensions);
        String type = switch (element.charAt(0)) {
            case 'B' -> "byte";
            case 'C' -> "char";
            case 'D' -> "double";
            case 'F' -> "float";
            case 'I' -> "int";
            case 'J' -> "long";
            case 'S' -> "short";
            case 'Z' -> "boolean";
            default -> element.substring(1).replace(";", "");
        };
        return type + "[]".repeat(dimensions);
    }
}
