package dev.weir.driver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The records received in a pass whose process was killed, read from the file that the process wrote. Immutable.
 *
 * @param partitions received records by partition, in the form of {@link NumberRuns#encoded}
 * @param again number of repeated deliveries by partition
 */
public record NotedNumbers(List<String> partitions, List<Long> again) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BEGIN = "{\"partitions\":";

    /**
     * Prints the contents of a file in the form expected by {@link #printed}, and deletes the file. Run it on the
     * machine of the killed process, where the file is stored.
     *
     * @param arguments the file, the number of partitions, and the number of records per partition for which the file
     *     was created
     */
    public static void main(String... arguments) throws IOException {
        Path file = Path.of(arguments[0]);
        if (!Files.exists(file)) {
            System.err.println("there is no file " + file + ": the process had started no pass, or its file system is"
                    + " not the shell's");
            System.exit(1);
        }
        int partitions = Integer.parseInt(arguments[1]);
        GroupNumbers numbers = GroupNumbers.in(file, partitions, Long.parseLong(arguments[2]));
        List<String> came = IntStream.range(0, partitions)
                .mapToObj(partition -> numbers.of(partition).encoded())
                .toList();
        List<Long> again =
                IntStream.range(0, partitions).mapToObj(numbers::again).toList();
        System.out.println(JSON.writeValueAsString(new NotedNumbers(came, again)));
        Files.delete(file);
    }

    /**
     * Reads the printed form. A login greeting may precede it.
     *
     * @throws IllegalArgumentException if the text is not from {@link #main}
     */
    public static NotedNumbers printed(String text) {
        String line = text.lines()
                .filter(each -> each.startsWith(BEGIN))
                .reduce((before, last) -> last)
                .orElseThrow(() -> new IllegalArgumentException("it reported no numbers of records: " + text));
        try {
            return JSON.readValue(line, NotedNumbers.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("it reported invalid numbers of records: " + e.getOriginalMessage(), e);
        }
    }
}
