// The page's words in English and Simplified Chinese. Words in braces are replaced by values.

const english = {
    connecting: "Connecting…",
    closed: "Not connected",
    lost: "Connection lost",
    lostHelp: "The studio's server does not answer. Takes go on without it; if it has ended, run kinecast studio again.",
    refused: "Not connected",
    refusedHelp: "This window is not connected any more; open a new one with kinecast studio.",
    noLink: "This address works only with a link; open a window with kinecast studio.",
    oldBrowser: "This browser lacks shared workers, which the page needs; open the link in another browser.",
    cannotCopy: "The browser does not allow copying; this is the link: {link}",
    serverGone: "The studio's server does not answer; run kinecast studio again.",
    idle: "Not recording",
    takes: "Running takes",
    take: "Take of {source}",
    "phase.starting": "Starting",
    "phase.recording": "Recording",
    "phase.broadcasting": "Live",
    "phase.paused": "Paused",
    "phase.finishing": "Finishing",
    "phase.ended": "Ended",
    into: "{source}, into {name}",
    end: "End",
    pause: "Pause",
    resume: "Resume",
    mute: "Mute microphone",
    unmute: "Unmute microphone",
    saveClip: "Save last {seconds} s",
    mark: "Begin a chapter",
    copyLink: "Copy link",
    "destination.launching": "starting",
    "destination.starting": "starting",
    "destination.live": "live",
    "destination.reconnecting": "reconnecting",
    "destination.paused": "paused",
    "destination.finishing": "finishing",
    "destination.ended": "ended",
    preview: "Picture of {source}",
    previewStarting: "The picture is coming…",
    previewElsewhere: "Three other windows show pictures already.",
    "preview.reconnecting": "The picture was interrupted; trying again…",
    "preview.full": "The picture is not available now; trying again…",
    "preview.broken": "The browser failed to play the picture; the take goes on.",
    "preview.stopped": "The picture could not be received; reload the page.",
    "preview.impossible": "This browser cannot play this picture; the take goes on.",
    statistics: "Statistics",
    "statistics.drawn": "Frames drawn",
    "statistics.unchanged": "Frames unchanged",
    "statistics.dropped": "Frames dropped",
    "statistics.bytes": "File",
    bitrate: "Bitrate",
    delay: "Waits to be sent",
    drops: "Drops a second",
    milliseconds: "{value} ms",
    viewer: "{count} viewer",
    viewers: "{count} viewers",
    waiting: "{value} ms waiting",
    roundTrip: "round trip {value} ms",
    reconnects: "reconnected {count}×",
    restarts: "restarted {count}×",
    memory: "{used} of {limit}",
    remove: "End this broadcast",
    showAnother: "Show another source",
    broadcastTo: "Broadcast to",
    livePage: "Live page for browsers",
    recordToo: "Record it",
    goLive: "Go live",
    countdownFirst: "Count down from 3",
    countdown: "Countdown",
    cancelHint: "Press any key to cancel.",
    cancel: "Cancel",
    newRecording: "New recording",
    source: "Show",
    wholeScreen: "Whole screen",
    monitor: "Monitor {name}",
    chooseWindow: "A window that you choose in the desktop's dialog",
    audio: "Audio",
    systemAudio: "All that is played",
    appAudio: "Only {name}",
    noAudio: "None",
    microphone: "Microphone",
    noMicrophone: "None",
    "level.audio": "Level of the audio",
    "level.microphone": "Level of the microphone",
    locked: "The screen is locked, so there are no pictures.",
    clips: "Keep the last",
    noClips: "as configured",
    keep: "{seconds} seconds",
    record: "Record",
    starting: "Starting…",
    looking: "Looking for screens and windows…",
    nothingToRecord: "No screen or window can be recorded here; kinecast doctor says what is missing.",
    events: "Events",
    "event.started": "Recording began.",
    "event.paused": "Paused.",
    "event.resumed": "Resumed.",
    "event.microphoneOn": "The microphone is on.",
    "event.microphoneOff": "The microphone is off.",
    "event.locked": "The screen is locked.",
    "event.unlocked": "The screen is unlocked.",
    "event.live": "{destination} is live.",
    "event.chapter": "A chapter begins: {text}.",
    "event.clip": "Saved the last {time} to {name}.",
    "event.ended": "Ended after {time}.",
    "event.saved": "Saved {time} to {name}.",
    "event.failed": "{text}",
    "event.warning": "{text}",
    "event.destinationWarning": "{destination}: {text}",
};

const chinese = {
    connecting: "正在连接…",
    closed: "未连接",
    lost: "连接已断开",
    lostHelp: "Kinecast 服务没有响应。录制会继续；如果服务已退出，请重新运行 kinecast studio。",
    refused: "未连接",
    refusedHelp: "此窗口的连接已失效；请运行 kinecast studio 打开新窗口。",
    noLink: "此页面只能通过链接打开；请运行 kinecast studio。",
    oldBrowser: "此浏览器不支持本页面所需的共享工作线程；请用其他浏览器打开链接。",
    cannotCopy: "浏览器不允许复制；链接为：{link}",
    serverGone: "Kinecast 服务没有响应；请重新运行 kinecast studio。",
    idle: "未在录制",
    takes: "正在进行的录制",
    take: "录制：{source}",
    "phase.starting": "正在开始",
    "phase.recording": "正在录制",
    "phase.broadcasting": "直播中",
    "phase.paused": "已暂停",
    "phase.finishing": "正在保存",
    "phase.ended": "已结束",
    into: "{source}，保存到 {name}",
    end: "结束",
    pause: "暂停",
    resume: "继续",
    mute: "关闭麦克风",
    unmute: "打开麦克风",
    saveClip: "保存最近 {seconds} 秒",
    mark: "新建章节",
    copyLink: "复制链接",
    "destination.launching": "正在启动",
    "destination.starting": "正在启动",
    "destination.live": "直播中",
    "destination.reconnecting": "正在重新连接",
    "destination.paused": "已暂停",
    "destination.finishing": "正在结束",
    "destination.ended": "已结束",
    preview: "{source} 的画面",
    previewStarting: "正在获取画面…",
    previewElsewhere: "已有三个窗口在显示画面。",
    "preview.reconnecting": "画面中断，正在重试…",
    "preview.full": "画面暂时不可用，正在重试…",
    "preview.broken": "浏览器无法播放画面；录制会继续。",
    "preview.stopped": "无法接收画面；请重新加载页面。",
    "preview.impossible": "此浏览器无法播放该画面；录制会继续。",
    statistics: "统计",
    "statistics.drawn": "已编码帧",
    "statistics.unchanged": "未变化帧",
    "statistics.dropped": "丢弃帧",
    "statistics.bytes": "文件大小",
    bitrate: "码率",
    delay: "等待发送",
    drops: "每秒丢帧",
    milliseconds: "{value} 毫秒",
    viewer: "{count} 位观众",
    viewers: "{count} 位观众",
    waiting: "等待 {value} 毫秒",
    roundTrip: "往返 {value} 毫秒",
    reconnects: "重连 {count} 次",
    restarts: "重启 {count} 次",
    memory: "内存 {used} / {limit}",
    remove: "结束此直播",
    showAnother: "切换画面",
    broadcastTo: "直播到",
    livePage: "网页直播",
    recordToo: "同时录制",
    goLive: "开始直播",
    countdownFirst: "倒数 3 秒",
    countdown: "倒计时",
    cancelHint: "按任意键取消。",
    cancel: "取消",
    newRecording: "新录制",
    source: "画面",
    wholeScreen: "整个屏幕",
    monitor: "显示器 {name}",
    chooseWindow: "在桌面对话框中选择窗口",
    audio: "声音",
    systemAudio: "系统播放的所有声音",
    appAudio: "仅 {name}",
    noAudio: "无",
    microphone: "麦克风",
    noMicrophone: "无",
    "level.audio": "声音电平",
    "level.microphone": "麦克风电平",
    locked: "屏幕已锁定，因此没有画面。",
    clips: "保留最近",
    noClips: "按配置",
    keep: "{seconds} 秒",
    record: "录制",
    starting: "正在开始…",
    looking: "正在查找屏幕和窗口…",
    nothingToRecord: "没有可录制的屏幕或窗口；请运行 kinecast doctor 查看缺少什么。",
    events: "事件",
    "event.started": "录制已开始。",
    "event.paused": "已暂停。",
    "event.resumed": "已继续录制。",
    "event.microphoneOn": "麦克风已打开。",
    "event.microphoneOff": "麦克风已关闭。",
    "event.locked": "屏幕已锁定。",
    "event.unlocked": "屏幕已解锁。",
    "event.live": "{destination} 已开始直播。",
    "event.chapter": "新章节开始：{text}。",
    "event.clip": "已将最近 {time} 保存到 {name}。",
    "event.ended": "已结束，时长 {time}。",
    "event.saved": "已保存到 {name}，时长 {time}。",
    "event.failed": "{text}",
    "event.warning": "{text}",
    "event.destinationWarning": "{destination}：{text}",
};

/** For the test that compares the languages. */
export const words = { en: english, "zh-CN": chinese };

/** The reader's language, of those that the page has. */
export const language = (() => {
    for (const wanted of navigator.languages) {
        if (/^zh\b/i.test(wanted)) return "zh-CN";
        if (/^en\b/i.test(wanted)) return "en";
    }
    return "en";
})();

/** The text of that name with its values. */
export function say(name, values = {}) {
    return words[language][name].replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

/** A time in seconds as m:ss or h:mm:ss. */
export function clock(seconds) {
    const whole = Math.floor(seconds);
    const pad = (value) => String(value).padStart(2, "0");
    const minutes = Math.floor(whole / 60);
    const rest = pad(whole % 60);
    return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${rest}`;
}

/** A count in the reader's language. */
export function number(value) {
    return new Intl.NumberFormat(language, { maximumFractionDigits: 0 }).format(value);
}

/** An amount of data. */
export function bytes(count) {
    const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
    const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
    const format = { style: "unit", unit: units[step], maximumFractionDigits: step === 3 ? 1 : 0 };
    return new Intl.NumberFormat(language, format).format(count / 1000 ** step);
}

/** Bits a second. */
export function rate(bits) {
    const isLarge = bits >= 1e6;
    const format = { maximumFractionDigits: isLarge ? 1 : 0 };
    return `${new Intl.NumberFormat(language, format).format(bits / (isLarge ? 1e6 : 1e3))} ${isLarge ? "Mbit/s" : "kbit/s"}`;
}

/** The name of a file. */
export function name(path) {
    return path?.slice(path.lastIndexOf("/") + 1);
}

/** A take's state in a word. */
export function state({ phase, file, destinations }) {
    const isLive = phase === "recording" && destinations.some((destination) => destination.phase === "live");
    return say(isLive ? "phase.broadcasting" : `phase.${phase}`);
}

/** A notice as a sentence. */
export function event({ kind, text, file, duration, destination }) {
    const values = { text, name: name(file), destination, time: clock(duration ?? 0) };
    if (kind === "ended" && file) return say("event.saved", values);
    if (kind === "warning" && destination) return say("event.destinationWarning", values);
    return say(`event.${kind}`, values);
}
