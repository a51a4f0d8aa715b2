package dev.weir.driver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The notes of a pass in a file of its own when its process was killed, which is what it would have told at its end.
 * Immutable.
 *
 * @param partitions which records came, by partition, as {@link NumberRuns#encoded} writes them
 * @param again how often one came that had come to the pass before, by partition
 */
public record NotedNumbers(List<String> partitions, List<Long> again) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BEGIN = "{\"partitions\":";

    /**
     * Prints what a file says, as {@link #printed} reads it, and deletes the file. The place of the process runs this,
     * since nobody else has the file.
     *
     * @param arguments the file, how many partitions there are, and how many records of each the file has room for
     */
    public static void main(String... arguments) throws IOException {
        Path file = Path.of(arguments[0]);
        if (!Files.exists(file)) {
            System.err.println("there is no file " + file + ": the process had begun no pass, or notes in another file"
                    + " system than that of the shell there");
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
     * Reads the printed form, maybe behind some greeting.
     *
     * @throws IllegalArgumentException if it was nothing of {@link #main}
     */
    public static NotedNumbers printed(String text) {
        String line = text.lines()
                .filter(each -> each.startsWith(BEGIN))
                .reduce((before, last) -> last)
                .orElseThrow(() -> new IllegalArgumentException("it told no numbers of records: " + text));
        try {
            return JSON.readValue(line, NotedNumbers.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("it told what are no numbers of records: " + e.getOriginalMessage(), e);
        }
    }
}
