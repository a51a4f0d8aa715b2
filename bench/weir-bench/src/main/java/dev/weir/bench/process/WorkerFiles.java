package dev.weir.bench.process;

import dev.weir.bench.BenchException;
import dev.weir.bench.environment.Place;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Copies the jars and classes of drivers to a remote place. Each file is copied into a folder named after a digest of
 * the file's content. A later campaign finds the file there and does not copy it again. Confined to one thread.
 *
 * <pre>
 * ~/.cache/weir/workers/3f9a1c.../kafka-clients-4.4.0.jar     a jar
 *                      /b07d52.../classes                     a folder of classes, as one archive
 * </pre>
 */
final class WorkerFiles {
    private static final Duration LOOK = Duration.ofSeconds(30);
    private static final Duration COPY = Duration.ofMinutes(10);
    private static final int DIGEST_CHARACTERS = 16;
    private static final String OF_FOLDER = "classes"; // not *.jar, because jars are listed as libraries
    private static final String FOLDER = "weir:folder=";
    private static final String MISSING = "weir:missing=";

    // Chooses the first cache folder that can be written to. Prints the folder's name and the given files that it
    // lacks. At a place, only one such script runs at a time.
    private static final String ASK = """
            for d in "${XDG_CACHE_HOME:-$HOME/.cache}" "${TMPDIR:-/tmp}"; do
              d=$d/weir/workers
              mkdir -p "$d" 2>/dev/null && [ -w "$d" ] && break
            done
            cd "$d" || exit 1
            echo "weir:folder=$(pwd)"
            for f; do [ -f "$f" ] || echo "weir:missing=$f"; done
            """;

    // Unpacks into a temporary folder, so that only complete files get their final names.
    private static final String TAKE = """
            set -e
            cd "$1"
            part=.part.$$
            mkdir "$part"
            trap 'rm -rf "$part"' EXIT
            tar -xf - -C "$part"
            for f in "$part"/*/*; do
              name=${f#"$part"/}
              mkdir -p "${name%/*}"
              mv -f "$f" "$name"
            done
            """;

    private final Place place;
    private final BooleanSupplier isStopped;
    private final Map<String, String> nameOf = new HashMap<>(); // remote name by local file
    private String folder = "";

    WorkerFiles(Place place, BooleanSupplier isStopped) {
        this.place = place;
        this.isStopped = isStopped;
    }

    /** Copies the files of these class paths to the place, except files that it already has. */
    void copy(List<String> classPaths) {
        Map<String, String> names = new LinkedHashMap<>();
        Map<String, Path> byName = new LinkedHashMap<>();
        Path stage = null;
        try {
            stage = Files.createTempDirectory("weir-bench-worker-");
            for (String each : String.join(File.pathSeparator, classPaths).split(File.pathSeparator, -1)) {
                if (!nameOf.containsKey(each) && !names.containsKey(each)) {
                    Path whole = whole(Path.of(each), stage.resolve(OF_FOLDER + names.size()));
                    String name = digest(whole) + "/"
                            + (whole.startsWith(stage) ? OF_FOLDER : String.valueOf(whole.getFileName()));
                    names.put(each, name);
                    byName.put(name, whole);
                }
            }
            String answer = new PlaceCommand(
                            "cannot look for what is there",
                            place,
                            Stream.concat(Stream.of("sh", "-c", ASK, "sh"), byName.keySet().stream())
                                    .toList(),
                            isStopped)
                    .run(null, LOOK);
            folder = after(FOLDER, answer).stream()
                    .findFirst()
                    .orElseThrow(() -> new BenchException(
                            "worker at " + place.label() + ": it named no folder for files: " + answer.strip()));
            List<String> missing = after(MISSING, answer);
            if (!missing.isEmpty()) {
                send(missing, byName, stage);
            }
            nameOf.putAll(names);
        } catch (IOException e) {
            throw new BenchException("worker at " + place.label() + ": files cannot be read: " + e, e);
        } finally {
            delete(stage);
        }
    }

    private static List<String> after(String mark, String answer) {
        return answer.lines()
                .filter(line -> line.startsWith(mark))
                .map(line -> line.substring(mark.length()).strip())
                .toList();
    }

    /** Returns {@code folder} itself if it is a file, otherwise an archive of it. Equal classes give equal archives. */
    private static Path whole(Path folder, Path into) throws IOException {
        if (!Files.isDirectory(folder)) {
            return folder;
        }
        try (Stream<Path> below = Files.walk(folder);
                ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(into))) {
            for (Path file : below.filter(Files::isRegularFile).sorted().toList()) {
                ZipEntry entry = new ZipEntry(folder.relativize(file).toString().replace(File.separatorChar, '/'));
                entry.setTime(0);
                out.putNextEntry(entry);
                Files.copy(file, out);
            }
        }
        return into;
    }

    private static String digest(Path file) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(digest.digest()).substring(0, DIGEST_CHARACTERS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private void send(List<String> missing, Map<String, Path> byName, Path stage) throws IOException {
        Path whole = Files.createDirectory(stage.resolve("whole"));
        for (String name : missing) {
            Path file = byName.get(name);
            if (file == null) {
                throw new BenchException("worker at " + place.label() + ": it lacks a file not on the list: " + name);
            }
            Path link = whole.resolve(name);
            Files.createDirectories(whole.resolve(name.substring(0, name.indexOf('/'))));
            Files.createSymbolicLink(link, file.toAbsolutePath());
        }
        Process tar = new ProcessBuilder("tar", "-chf", "-", "-C", whole.toString(), ".").start();
        Tail words = new Tail("tar", tar.getErrorStream(), null);
        try {
            var unused = new PlaceCommand(
                            "cannot copy " + missing.size() + " files there",
                            place,
                            List.of("sh", "-c", TAKE, "sh", folder),
                            isStopped)
                    .run(tar.getInputStream(), COPY);
            if (!tar.waitFor(LOOK.toSeconds(), TimeUnit.SECONDS) || tar.exitValue() != 0) {
                throw new IOException("tar: " + words.text(Duration.ZERO));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted while a command ran at " + place.label(), e);
        } finally {
            tar.destroyForcibly();
        }
    }

    /** Returns the equivalent of a local class path at the place. Copies missing files first. */
    String there(String classPath) {
        if (!nameOf.keySet().containsAll(List.of(classPath.split(File.pathSeparator, -1)))) {
            copy(List.of(classPath));
        }
        return Stream.of(classPath.split(File.pathSeparator, -1))
                .map(each -> folder + "/" + nameOf.get(each))
                .collect(Collectors.joining(":"));
    }

    private static void delete(@Nullable Path stage) {
        if (stage == null) {
            return;
        }
        try (Stream<Path> below = Files.walk(stage)) {
            for (Path each : below.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException ignored) { // The files stay in the temporary folder.
        }
    }
}
