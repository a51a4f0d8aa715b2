package dev.weir.testkit.internal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/** A file channel whose writes and flushes are subject to {@link DiskFaults}. Thread-safe, like all file channels. */
final class FaultyChannel extends FileChannel {
    private final FileChannel real;
    private final boolean appends;

    /** Wraps the real channel and takes ownership of it. */
    FaultyChannel(FileChannel real, boolean appends) {
        this.real = real;
        this.appends = appends;
    }

    private void beforeWrite(long bytes) throws IOException {
        long size = real.size();
        DiskFaults.beforeWrite((appends ? size : real.position()) + bytes, size);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        beforeWrite(from.remaining());
        return real.write(from);
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        long bytes = 0;
        for (int i = offset; i < offset + length; i++) {
            bytes += from[i].remaining();
        }
        beforeWrite(bytes);
        return real.write(from, offset, length);
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        DiskFaults.beforeWrite(position + from.remaining(), real.size());
        return real.write(from, position);
    }

    @Override
    public long transferFrom(ReadableByteChannel from, long position, long count) throws IOException {
        DiskFaults.beforeWrite(position + count, real.size());
        return real.transferFrom(from, position, count);
    }

    @Override
    public void force(boolean metaData) throws IOException {
        DiskFaults.delay();
        real.force(metaData);
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        return real.read(to);
    }

    @Override
    public long read(ByteBuffer[] to, int offset, int length) throws IOException {
        return real.read(to, offset, length);
    }

    @Override
    public int read(ByteBuffer to, long position) throws IOException {
        return real.read(to, position);
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel to) throws IOException {
        return real.transferTo(position, count, to);
    }

    @Override
    public long position() throws IOException {
        return real.position();
    }

    @Override
    public FileChannel position(long position) throws IOException {
        real.position(position);
        return this;
    }

    @Override
    public long size() throws IOException {
        return real.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        real.truncate(size);
        return this;
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
        return real.map(mode, position, size);
    }

    @Override
    public FileLock lock(long position, long size, boolean isShared) throws IOException {
        return real.lock(position, size, isShared);
    }

    @Override
    public @Nullable FileLock tryLock(long position, long size, boolean isShared) throws IOException {
        return real.tryLock(position, size, isShared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        real.close();
    }
}
