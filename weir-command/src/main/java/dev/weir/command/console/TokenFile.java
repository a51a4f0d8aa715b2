package dev.weir.command.console;

import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Reads the file of {@code --token-file}. Stateless. */
public final class TokenFile {

    private static final long MAX_BYTES = 4_096;

    private TokenFile() {}

    /**
     * Warns if other users can read the token, which lets them steer the pipeline. Only a warning, because all users
     * can read a Secret that Kubernetes mounts.
     */
    private static void noteReaders(Path file, Terminal terminal) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view == null) {
            return; // not a POSIX file system
        }
        Set<PosixFilePermission> permissions = view.readAttributes().permissions();
        if (permissions.contains(PosixFilePermission.OTHERS_READ)
                || permissions.contains(PosixFilePermission.GROUP_READ)) {
            terminal.note("weir: others on this machine can read --token-file=" + file + " ("
                    + PosixFilePermissions.toString(permissions) + "): chmod 600 " + file);
        }
    }

    /** Returns the token, stripped of blanks and line ends. */
    public static String read(Path file, Terminal terminal) {
        try {
            noteReaders(file, terminal);
            if (Files.size(file) > MAX_BYTES) {
                throw CliFailure.badValue("--token-file", file, "a file of at most " + MAX_BYTES + " bytes");
            }
            String token = Files.readString(file).strip();
            if (token.isEmpty() || token.chars().anyMatch(c -> c <= ' ' || c > '~')) {
                // Do not show the text: it may be the token.
                throw CliFailure.badValue(
                        "--token-file", file, "a file with one token: ASCII without blanks, on one line");
            }
            return token;
        } catch (IOException e) {
            throw CliFailure.badValue("--token-file", file, "a file that can be read (" + CliFailure.reason(e) + ")");
        }
    }
}
